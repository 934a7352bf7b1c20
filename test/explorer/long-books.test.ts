/** The page of a market whose book is longer than a page. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { builtBefore } from '../support/file-scope.ts';
import { FIRST_TOKEN, filledIndex, filledServers, SIZES } from '../support/filled-servers.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import { checkMarketPage, levelsIn } from './check-token-and-order-pages.ts';
import { assertExactPrice, atoms, type Json, linked } from './page-values.ts';

const filled = filledServers();
const ofDust = filledIndex(SIZES);
const withDust = builtBefore(async (scope) => {
  // All levels but the cheapest of each side are a thousand times as large, at the same prices.
  await ofDust().query(`update price_levels l set ask_balance = ask_balance * 1000, give_balance = give_balance * 1000
    where price < (select max(price) from price_levels o where o.ask_currency = l.ask_currency)`);
  // The newest fill of each market moves nothing, so it has no price.
  await ofDust().query(`insert into fills (height, position, input_index, order_id, is_buy, timestamp, base, quote, base_amount, quote_amount)
    select distinct on (base, quote) height, position, input_index + 1, order_id, is_buy, timestamp, base, quote, 0, 0
    from fills order by base, quote, height desc, position desc, input_index desc`);
  return ofDust().serve(scope);
});

it('a long order book shows both sides, best price first, with a chart of the depth', async () => {
  assert.ok((await checkMarketPage(filled.server, `${FIRST_TOKEN}_RML`)) > 10);
  const { main } = await getPage(filled.server, `/market/${FIRST_TOKEN}_RML`);
  const chart = main.all('figure').at(-1);
  assert.equal(chart!.all('path').length, 4, 'a line and an area for each side');
  for (const path of chart!.all('path')) assert.match(path.attribute('d')!, /^M[\d.]+ [\d.]+(?:L[\d.]+ [\d.]+)+Z?$/);
  assert.match(chart!.one('desc').text, /on a logarithmic scale: total bids at a price or above/);
});

it('a best price for hardly anything of what the book has is said to be so', async () => {
  await checkMarketPage(withDust(), `${FIRST_TOKEN}_RML`);
  const { main } = await getPage(withDust(), `/market/${FIRST_TOKEN}_RML`);
  for (const name of ['Best bid', 'Best ask']) assert.match(main.fact(name).text, /only [\d.]+ TK1 available$/);
  const { main: usual } = await getPage(filled.server, `/market/${FIRST_TOKEN}_RML`);
  assert.match(usual.fact('Best bid').text, /for [\d.]+ TK1$/);
});

it('the last price of a market is that of the newest trade with a price', async () => {
  const [newest] = (await withDust().json(`/order/pair/${FIRST_TOKEN}_RML/trades?items=1`)).items;
  assert.equal(newest.price, null);
  const { last_price: price } = await withDust().json(`/market/${FIRST_TOKEN}_RML`);
  const { main } = await getPage(withDust(), `/market/${FIRST_TOKEN}_RML`);
  const fact = main.fact('Last price');
  assert.equal(fact.all('details')[0]?.all('span').at(-1)?.text ?? fact.one('.amount').text, price.decimal);
});

it('a long order book goes on by a cursor for each side, and the other side stays where it is', async () => {
  for (const [id, side] of [
    ['buys', 'ask'],
    ['sells', 'bid'],
  ] as const) {
    const path = `/order/pair/${FIRST_TOKEN}_RML/book?side=${side}&order=best&items=100`;
    const levels = (await filled.server.pages(path)).flat();
    const shown: PageElement[][] = [];
    const other = id === 'buys' ? 'sells' : 'buys';
    let others: string | undefined;
    let next: string | undefined = `/market/${FIRST_TOKEN}_RML?items=4`;
    while (next !== undefined) {
      const { main } = await getPage(filled.server, next);
      shown.push(...(id === 'sells' ? main.table(id).reverse() : main.table(id)));
      others ??= main.table(other)[0]![0]!.text;
      assert.equal(main.table(other)[0]![0]!.text, others);
      assert.ok(main.table(id).length <= 4);
      next = main.nextPages().find((href) => href.endsWith(`#${id}`));
    }
    assert.ok(levels.length > 4);
    assert.equal(levelsIn(shown, levels), levels.length);
  }
});

it('a long order book takes the cursors of the API, and refuses those of the other side', async () => {
  const book = `/order/pair/${FIRST_TOKEN}_RML/book?order=best&items=2`;
  const { next_cursor } = await filled.server.json(`${book}&side=ask`);
  const { items } = await filled.server.json(`${book}&side=ask&cursor=${next_cursor}`);
  const { main } = await getPage(filled.server, `/market/${FIRST_TOKEN}_RML?buys=${next_cursor}`);
  assertExactPrice(main.table('buys')[0]![0]!.one('code').text, items[0].price.atoms);
  assert.equal(main.all('figure').length, 0, 'a chart of a part would mislead');
  await getPage(filled.server, `/market/${FIRST_TOKEN}_RML?sells=${next_cursor}`, 400);
});

it('orders say whether they sell or buy, as the market of the page counts, then price, amount and total in its currencies', async () => {
  const sides = new Set<string>();
  for (const [pair, base] of [
    [`${FIRST_TOKEN}_RML`, FIRST_TOKEN],
    [`RML_${FIRST_TOKEN}`, undefined],
  ] as const) {
    const orders: Json[] = await filled.server.json(`/order/pair/${pair}?items=10`);
    for (const row of (await getPage(filled.server, `/market/${pair}`)).main.one('#orders').rows()) {
      const order = orders.find(({ order_id }) => order_id === linked(row[0]!))!;
      const isSale = order.give_currency.token_id === base;
      sides.add(row[1]!.text);
      assert.equal(row[1]!.text, isSale ? 'Sell' : 'Buy');
      const [gives, asks] = [order.give_balance, order.ask_balance].map(atoms);
      const [amount, total] = row.slice(3, 5).map((cell) => cell.atoms()[0]);
      assert.deepEqual([amount, total], isSale ? [gives, asks] : [asks, gives]);
    }
  }
  assert.equal(sides.size, 2);
});

it('the open orders of a pair are listed newest first, and said to be so, whatever order is asked for', async () => {
  const { main } = await getPage(filled.server, `/orders?pair=${FIRST_TOKEN}_RML&sort=by_age`);
  assert.match(main.one('caption').text, /^Open orders of .* and .*, newest first$/);
});
