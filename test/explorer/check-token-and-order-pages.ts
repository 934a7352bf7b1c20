/** What the pages of tokens, NFTs, orders, markets and HTLCs must show, by the answers of the API. */
import assert from 'node:assert/strict';
import { getPage, type PageElement, type TestPage } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';
import {
  assertExactPrice,
  assertText,
  atoms,
  type Json,
  listed,
  percent,
  scaled,
  sectionCounts,
} from './page-values.ts';

/** Of the regtest networks. */
export const COIN = 'RML';

/** The entries of the expanded list. */
export async function tokensOfType(server: TestServer, type: 'fungible' | 'nft'): Promise<Json[]> {
  return (await listed(server, '/token?expand=true')).filter((token) => token.type === type);
}

/** `entry`: the token's entry in the expanded list. */
export async function checkTokenPage(server: TestServer, entry: Json): Promise<void> {
  const id = entry.token_id;
  const [token, statistics, holders, transactions, candles] = await Promise.all([
    server.json(`/token/${id}`),
    server.json(`/statistics/token/${id}`),
    server.json(`/statistics/token/${id}/holders?sort=total&items=10&cursor=`),
    server.json(`/token/${id}/transactions?items=10&cursor=`),
    server.json(`/order/pair/${id}_${COIN}/candles?interval=day&items=90`),
  ]);
  const page = await getPage(server, `/token/${id}`);
  const { main } = page;
  assert.ok(main.text.includes(id));
  assertText(main.one('h1'), token.token_ticker);
  const sections = sectionCounts(main);
  const { status } = await server.get(`/market/${id}_${COIN}`);
  assert.deepEqual(
    [...sections.keys()],
    [...(status === 404 ? [] : ['Market']), 'Holders', 'Details', 'Events', 'Transactions'],
  );
  assert.equal(sections.get('Holders'), String(main.fact('Holders').text));
  for (const [title, list] of [['Events', 'events'] as const, ['Transactions', 'transactions'] as const]) {
    assert.equal(sections.get(title), `${(await listed(server, `/token/${id}/${list}`)).length}`);
  }
  assert.deepEqual(main.fact('Circulating supply').atoms(), [atoms(statistics.circulating_supply)]);
  checkSupply(main.fact('Maximum supply'), token);
  const lost = atoms(token.circulating_supply) - atoms(statistics.circulating_supply);
  assert.equal(main.facts().has('Supply including burned tokens'), lost !== 0n);
  if (lost !== 0n)
    assert.deepEqual(main.fact('Supply including burned tokens').atoms(), [atoms(token.circulating_supply)]);
  const burned = atoms(statistics.burned);
  assert.deepEqual(main.facts().get('Burned')?.atoms() ?? [], lost === 0n ? [] : [lost]);
  const unminted = burned - lost;
  assert.deepEqual(main.facts().get('Unminted by the authority')?.atoms() ?? [], unminted === 0n ? [] : [unminted]);
  const freezing = main.fact('Freezing').text;
  if (!token.frozen) {
    assert.match(
      freezing,
      token.is_token_freezable
        ? /^can freeze Not frozen; .* can freeze it\.$/
        : /^not freezable Nobody can freeze it\.$/,
    );
  } else {
    assert.match(
      freezing,
      token.is_token_unfreezable ? /^Frozen: until the authority unfreezes it, .*\.$/ : /^Permanently frozen: .*\.$/,
    );
  }
  assert.equal(/frozen/.test(main.one('h1').text), token.frozen);
  assert.equal(/supply locked/.test(main.fact('Maximum supply').text), token.is_locked);
  assert.equal(main.fact('Holders').text, String(entry.holders));
  await checkPrice(server, main.fact('Last price'), id);
  assert.equal(main.fact('Decimals').text, String(token.number_of_decimals));
  assert.deepEqual(main.fact('Authority').links(), [`/address/${token.authority}`]);
  const powers = main.fact('Authority').one('.muted').text.replace(/^can /, '').split(', ');
  if (token.frozen) {
    const isForEver = !token.is_token_unfreezable;
    assert.deepEqual(
      powers,
      isForEver ? ['do nothing: the token is permanently frozen'] : ['unfreeze the token (nothing else until then)'],
    );
  } else {
    assert.equal(powers.includes('mint more'), entry.is_mintable && !token.is_locked);
    assert.equal(powers.includes('burn tokens that it holds'), !token.is_locked);
    assert.equal(powers.includes('lock the supply'), token.total_supply_type === 'Lockable' && !token.is_locked);
    assert.equal(powers.includes('freeze the token'), token.is_token_freezable);
    assert.deepEqual(powers.slice(-2), ['change the metadata URI', 'transfer the authority']);
  }
  assert.match(main.fact('Next nonce').text, new RegExp(`^${token.next_nonce}$`));
  const blocks = [entry.created.height, ...(token.frozen ? [entry.frozen_since] : [])];
  assert.deepEqual(
    main.all('p.muted')[0]!.links(),
    blocks.map((height) => `/block/${height}`),
  );
  const uri = Buffer.from(token.metadata_uri.hex, 'hex').toString();
  assertText(main.fact('Metadata'), uri);
  checkOutside(main.fact('Metadata'), uri);
  checkHolders(page, holders.items, atoms(statistics.circulating_supply));
  checkHistory(page, transactions.items);
  await checkMarket(server, main, { id, frozen: token.frozen }, candles.items);
}

/** The best prices, and those of each day with trades; nothing without trades and open orders. */
async function checkMarket(
  server: TestServer,
  main: PageElement,
  { id, frozen }: Json,
  candles: Json[],
): Promise<void> {
  const { status, body: market } = await server.get(`/market/${id}_${COIN}`);
  if (status === 404) {
    assert.equal(main.facts().has('Volume, 24 h'), false);
    return assert.deepEqual(candles, []);
  }
  for (const [name, price] of [
    ['Best bid', market.bid],
    ['Best ask', market.ask],
  ]) {
    if (frozen) assert.equal(main.facts().has(name), false, 'its orders cannot be filled');
    else if (price === null) assert.equal(main.fact(name).text, 'no orders');
    else assertRead(main.fact(name).one('.amount'), price.decimal);
  }
  assert.ok(main.fact('Volume, 24 h').text.endsWith(`Open orders: ${market.open_orders}`));
  assert.deepEqual(main.fact('Volume, 24 h').links().at(-1), `/orders?pair=${id}_${COIN}`);
  const rows = main.all('#candles').length === 0 ? [] : main.table('candles');
  assert.equal(rows.length, candles.length);
  for (const [i, { close }] of candles.entries()) assertRead(rows[i]![4]!, close.decimal);
}

/** The last price, with its change in 24 hours, as the market has it. */
async function checkPrice(server: TestServer, fact: PageElement, id: string): Promise<void> {
  assert.deepEqual(fact.links(), [`/market/${id}_${COIN}`]);
  const response = await server.get(`/market/${id}_${COIN}`);
  const { last_price: price = null, day } = response.status === 404 ? {} : response.body;
  if (price === null) return assert.match(fact.text, /^none.*not traded against .+ yet$/);
  const exact = fact.all('details')[0]?.all('span').at(-1)?.text ?? fact.one('.amount').text;
  assert.equal(exact, price.decimal);
  if (/(no buy orders within 50% of this price|buy orders within 50% of this price: [\d.]+ \w+)$/.test(fact.text))
    return;
  if (day.trades === 0) return assert.match(fact.text, /no trade in 24 hours$/);
  if (day.change === null) return assert.deepEqual(fact.all('.more'), []);
  const change = `${(Math.sign(Number(day.change)) * Math.round(Math.abs(Number(day.change)) * 1e4)) / 100}%`;
  const shown = fact.one('.more').text.replace('−', '-').replace('+', '');
  assert.ok(shown === `${change} in 24 hours` || Number.parseFloat(shown) === Number.parseFloat(change), shown);
}

function checkSupply(fact: PageElement, token: Json): void {
  switch (token.total_supply_type) {
    case 'Fixed':
      assert.match(fact.text, /^(fully minted|can mint more)? ?At most /);
      assert.deepEqual(fact.atoms(), [atoms(token.total_supply)]);
      assert.ok(fact.text.includes(`${percent(atoms(token.circulating_supply), atoms(token.total_supply))} minted`));
      break;
    case 'Lockable':
      assert.match(
        fact.text,
        token.is_locked ? /^supply locked Nothing more / : /^(can mint more Lockable: |Lockable\. No more )/,
      );
      break;
    default:
      assert.match(fact.text, /^(can mint more Unlimited: |Unlimited\. No more )/);
  }
  if (token.is_locked) return;
  const isForEver = token.frozen && token.is_token_unfreezable === false;
  assert.equal(/authority can (?:always )?mint/.test(fact.text), !token.frozen && token.total_supply_type !== 'Fixed');
  assert.equal(/No more can be minted while the token is frozen\./.test(fact.text), token.frozen && !isForEver);
  assert.equal(/No more can be minted: the token is permanently frozen\./.test(fact.text), isForEver);
}

/** A link of the chain leads out by a click only, and says nothing of where it was clicked. */
function checkOutside(fact: PageElement, uri: string): void {
  const found = fact.all('a');
  if (!/^https?:\/\/[^@\s]+$/.test(uri)) return assert.equal(found.length, 0);
  assert.equal(found[0]!.attribute('href'), new URL(uri).href);
  assert.match(found[0]!.attribute('rel')!, /noopener.*nofollow/);
}

function checkHolders(page: TestPage, holders: Json[], supply: bigint): void {
  const rows = page.main.table('holders');
  assert.equal(rows.length, holders.length);
  const isAnyLocked = holders.some(({ locked }) => atoms(locked) > 0n);
  for (const [i, { address, total, locked }] of holders.entries()) {
    const [owner, held, ofThatLocked] = rows[i]!;
    assert.equal(owner!.text, address);
    assert.deepEqual(held!.atoms(), [atoms(total)]);
    if (isAnyLocked) assert.deepEqual(ofThatLocked!.atoms(), [atoms(locked)]);
    assert.equal(rows[i]!.length, isAnyLocked ? 4 : 3);
    assert.equal(rows[i]!.at(-1)!.text, percent(atoms(total), supply));
  }
  const sum = (number: number) => holders.slice(0, number).reduce((all, { total }) => all + atoms(total), 0n);
  const facts = page.main.facts();
  if (holders.length > 0) assert.equal(facts.get('Top holder')?.text, percent(sum(1), supply));
  assert.equal(facts.get('Top 3 holders')?.text, holders.length < 3 ? undefined : percent(sum(3), supply));
  assert.equal(facts.get('Top 10 holders')?.text, holders.length < 10 ? undefined : percent(sum(10), supply));
}

function checkHistory(page: TestPage, transactions: Json[]): void {
  const rows = page.main.table('transactions');
  assert.deepEqual(
    rows.map(([transaction]) => transaction!.text),
    transactions.map(({ tx_id }) => tx_id),
  );
}

const links = (kind: string, items: Json[], field: string) => items.map((item) => `/${kind}/${item[field]}`);

/** Of a table of orders. Sentences in the table of transactions name orders, too. */
function orderLinks(main: PageElement): string[] {
  const inSentences = main.table('transactions').flatMap((row) => row.flatMap((cell) => cell.links()));
  const all = main.links();
  for (const link of inSentences) all.splice(all.lastIndexOf(link), 1);
  return all.filter((link) => link.startsWith('/order/'));
}

export async function checkNftPage(server: TestServer, entry: Json): Promise<void> {
  const id = entry.token_id;
  const [nft, owners, transactions] = await Promise.all([
    server.json(`/nft/${id}`),
    server.json(`/nft/${id}/owners?items=10`),
    server.json(`/token/${id}/transactions?items=10&cursor=`),
  ]);
  const page = await getPage(server, `/nft/${id}`);
  const { main } = page;
  assert.ok(main.text.includes(id));
  assertText(main.one('h1'), nft.name);
  for (const [name, text] of [
    ['Ticker', nft.ticker],
    ['Description', nft.description],
    ['Media', nft.media_uri],
    ['Icon', nft.icon_uri],
    ['Additional metadata', nft.additional_metadata_uri],
    ['Media hash', nft.media_hash],
  ]) {
    if (!text && name !== 'Ticker') {
      assert.ok(!main.facts().has(name), `${name} is not shown`);
      continue;
    }
    assertText(main.fact(name), text);
    if (/Media$|Icon|More/.test(name) && text !== null) checkOutside(main.fact(name), text);
  }
  const [link] = main.fact('Owner').links();
  const order = link?.startsWith('/order/') ? await server.json(link) : null;
  if (order === null) assert.equal(link, nft.owner === null ? undefined : `/address/${nft.owner}`);
  else assert.equal(order.give_currency.token_id, id, 'the order that has it');
  const isBurned = atoms(entry.circulating_supply) === 0n;
  const owner = main.fact('Owner').text;
  if (nft.owner === null) assert.match(owner, isBurned ? /^burned$/ : /^held by (an order or HTLC|an HTLC|order \w+)$/);
  else assert.ok(!isBurned);
  const badges = main.one('h1').all('.badge');
  assert.deepEqual(
    badges.map(({ text }) => text),
    isBurned ? ['burned'] : [],
  );
  if (nft.creator === null) assert.ok(!main.facts().has('Creator'));
  else assert.deepEqual(main.fact('Creator').links(), [`/address/${nft.creator}`]);
  assert.deepEqual(main.fact('Issued').links(), [`/block/${entry.created.height}`]);
  checkHistory(page, transactions.items);
  const given = new Map<string, Json>(owners.items.map((each: Json) => [each.tx_id, each]));
  for (const [transaction, , , action, owner] of main.table('transactions')) {
    assert.ok(!action!.links().includes(`/nft/${id}`), 'its own page does not name it again');
    const to = given.get(transaction!.text);
    if (to === undefined) assert.equal(owner!.text, '–');
    else if (to.owner === null) assert.match(owner!.text, /^(burned|held by )/);
    else assert.equal(owner!.all('a')[0]?.text, to.owner);
  }
}

/** The rounded price of two amounts, in one of both directions: a power of ten times their ratio, as decimals differ. */
function checkPriceOf(fact: PageElement, asked: bigint, given: bigint): void {
  assert.match(fact.text, / per /);
  const digits = /[\d.]+/.exec(fact.text)![0];
  if (digits.replace(/^[0.]+|[.]/g, '').length < 3) return;
  const powers = [Number(asked) / Number(given), Number(given) / Number(asked)].map((ratio) =>
    Math.log10(Number(digits) / ratio),
  );
  assert.ok(
    powers.some((power) => Math.abs(power - Math.round(power)) < 0.005),
    fact.text,
  );
}

/** The orders that the transactions of the chain name, and the open ones. */
export async function orderIds(server: TestServer): Promise<string[]> {
  const transactions = (await server.pages('/transaction?items=100')).flat();
  const named = transactions.flatMap(({ inputs }) => inputs.map(({ input }: Json) => input.order_id));
  const open = (await server.pages('/order?items=100')).flat().map(({ order_id }) => order_id);
  return [...new Set([...named, ...open])].filter((id) => id !== undefined);
}

/** By what the API answers: the list of who may conclude it has all that are not concluded. */
async function orderState(server: TestServer, order: Json): Promise<string> {
  const own = (await server.pages(`/address/${order.conclude_destination}/orders?items=100`)).flat();
  const entry = own.find(({ order_id }) => order_id === order.order_id);
  if (entry === undefined) return 'closed';
  if (entry.is_frozen) return 'frozen';
  return atoms(order.ask_balance) === 0n ? 'filled' : 'open';
}

/** The pair that an order is of, as the API takes it. */
export function pairOf({ give_currency, ask_currency }: Json): string {
  return [give_currency, ask_currency].map(({ token_id }) => token_id ?? COIN).join('_');
}

/** Gives its state. */
export async function checkOrderPage(server: TestServer, id: string): Promise<string> {
  const order = await server.json(`/order/${id}`);
  const state = await orderState(server, order);
  const { main, html } = await getPage(server, `/order/${id}`);
  assert.ok(main.text.includes(id));
  assert.equal(main.one('.badge').text, state);
  const [asked, given] = [atoms(order.initially_asked), atoms(order.initially_given)];
  const [askLeft, giveLeft] = [atoms(order.ask_balance), atoms(order.give_balance)];
  const names = ['Asks (initial)', 'Gives (initial)', 'Left to receive', 'Left to sell'];
  const shown = names.map((name) => main.fact(name).atoms());
  assert.deepEqual(shown, [[asked], [given], [askLeft], [giveLeft]]);
  for (const [name, currency] of [
    ['Gives (initial)', order.give_currency],
    ['Asks (initial)', order.ask_currency],
  ]) {
    const shown = main
      .fact(name)
      .all('a')
      .map((link) => link.attribute('title'));
    assert.deepEqual(shown, currency.type === 'Coin' ? [] : [currency.token_id]);
  }
  checkPriceOf(main.fact('Initial price'), asked, given);
  const isLeft = askLeft > 0n && giveLeft > 0n;
  assert.equal(main.facts().has('Current price'), isLeft);
  if (isLeft) checkPriceOf(main.fact('Current price'), askLeft, giveLeft);
  const fills = BigInt(order.nonce) - (state === 'closed' ? 1n : 0n);
  assert.equal(main.fact('Fills').text, String(fills));
  assert.equal(main.fact('Can be closed by').text, order.conclude_destination);
  const created = main.all('p.muted').find(({ text }) => text.startsWith('Created '))!;
  assert.match(created.links().join(' '), new RegExp(`^/block/\\d+ /address/${order.conclude_destination}$`));
  if (state === 'closed') assert.match(main.fact('Filled').text, /not kept/);
  else {
    assert.equal(main.fact('Filled').text, percent(asked - askLeft, asked));
    // The style keeps a gap behind a bar that is first.
    assert.match(html, /<dt>Filled<\/dt><dd><svg class="meter" /);
    assert.deepEqual(main.fact('Paid in').atoms(), [asked - askLeft]);
    assert.deepEqual(main.fact('Paid out').atoms(), [given - giveLeft]);
  }
  return state;
}

/** The chart of prices has every hour or day: where nothing was traded, the last price, and no volume. `candles`: newest first. */
function checkPriceChart(main: PageElement, candles: readonly Json[], seconds: number): void {
  const charts = main.all('svg').flatMap((svg) => svg.attribute('data-chart') ?? []);
  const { x, y, volumes } = charts.map((text) => JSON.parse(text)).find(({ kind }) => kind === 'candles');
  const traded = new Map(candles.map((candle) => [candle.time, candle]));
  let close = 0;
  for (const [i, time] of x.entries()) {
    if (i > 0) assert.equal(time - x[i - 1], seconds);
    const prices = y.map((column: readonly number[]) => column[i]);
    if (!traded.has(time)) assert.deepEqual([prices, volumes[i]], [[close, close, close, close], 0]);
    close = prices[3];
  }
  assert.deepEqual(x.at(-1), candles[0].time);
  assert.equal(Math.max(...volumes), 1);
}

/** `pair`: as the API takes it. Gives the number of levels. */
export async function checkMarketPage(server: TestServer, pair: string): Promise<number> {
  const page = await getPage(server, `/market/${pair}`);
  let levels = 0;
  const bestPrices: number[] = [];
  for (const [id, side] of [
    ['buys', 'ask'],
    ['sells', 'bid'],
  ] as const) {
    const { items } = await server.json(`/order/pair/${pair}/book?side=${side}&order=best&items=50`);
    // The best price of each side is beside that of the other.
    const rows = id === 'sells' ? page.main.table(id).reverse() : page.main.table(id);
    assert.equal(levelsIn(rows, items), items.length, side);
    let sum = 0n;
    for (const [i, [whole, left, running]] of rows.entries()) {
      sum += left!.atoms()[0]!;
      assert.deepEqual(running!.atoms(), [sum]);
      assert.notEqual(Number(whole!.text), Number(rows[i + 1]?.[0]?.text));
    }
    levels += items.length;
    bestPrices.push(Number(items[0]?.price.decimal));
    const [best] = rows.flatMap(([, left]) => left!.atoms());
    const isDust = best !== undefined && best * 100n < sum;
    const tile = page.main.fact(id === 'buys' ? 'Best bid' : 'Best ask').text;
    assert.equal(tile.includes(' available'), isDust, tile);
  }
  const { items: orders } = await server.json(`/order/pair/${pair}?items=10&cursor=`);
  const { items: trades } = await server.json(`/order/pair/${pair}/trades?items=10`);
  assert.deepEqual(orderLinks(page.main), links('order', orders, 'order_id'));
  for (const [i, { side, price, base, quote }] of trades.entries()) {
    const [, , taker, unitPrice, ofBase, ofQuote] = page.main.table('trades-newest-first')[i]!;
    assert.equal(taker!.text, side === 'buy' ? 'Buy' : 'Sell');
    if (price === null) assert.equal(unitPrice!.text, '–');
    else assertRead(unitPrice!, price.decimal);
    assert.deepEqual([ofBase!.atoms(), ofQuote!.atoms()], [[atoms(base.amount)], [atoms(quote.amount)]]);
  }
  // By day, unless there are few days.
  const days = await server.json(`/order/pair/${pair}/candles?interval=day&items=90`);
  const isByHour = days.items.length < 3;
  assert.equal(page.main.one('nav').one('strong').text, isByHour ? 'by hour' : 'by day');
  const { items: candles } = isByHour ? await server.json(`/order/pair/${pair}/candles?interval=hour&items=90`) : days;
  for (const [i, { open, high, low, close, trades: count }] of candles.entries()) {
    const cells = page.main.table('candles')[i]!;
    for (const [n, { decimal }] of [open, high, low, close].entries()) assertRead(cells[n + 1]!, decimal);
    assert.equal(cells.at(-1)!.text, String(count));
  }
  if (candles.length > 0) checkPriceChart(page.main, candles, isByHour ? 3_600 : 86_400);
  const [bid, ask] = bestPrices;
  const hasDepth = levels > 0 && !(bid! >= ask!);
  assert.equal(page.main.all('figure').length, Number(hasDepth) + (candles.length > 0 ? 1 : 0));
  return levels;
}

/** Fails unless rows of a book show these levels: those that are equal when rounded are one row. Gives the number of levels in the rows. */
export function levelsIn(rows: readonly (readonly PageElement[])[], levels: readonly Json[]): number {
  let shown = 0;
  for (const row of rows) {
    const first = shown;
    for (let left = Number(row.at(-1)!.text); left > 0; shown++) left -= levels[shown].order_count;
    const merged = levels.slice(first, shown);
    assert.deepEqual(row[1]!.atoms(), [merged.reduce((sum, { amount }) => sum + atoms(amount), 0n)]);
    for (const { price } of merged) assertRead(row[0]!, price.decimal);
    const [exact, worst = exact] = row[0]!.all('code');
    assertExactPrice(exact!.text, merged[0].price.atoms);
    assertExactPrice(worst!.text, merged.at(-1).price.atoms);
  }
  return shown;
}

/** A cell shows a number, or the number rounded to four significant digits at least, of which zeros at the end are left out. */
function assertRead(cell: PageElement, decimal: string): void {
  const shown = cell.text.replace('−', '-');
  const digits = shown.replace(/^[-0.]+|\D/g, '').length;
  const [whole, shortest = ''] = shown.split('.') as [whole: string, fraction?: string];
  const fraction = shortest.padEnd(shortest.length + Math.max(4 - digits, 0), '0');
  const [, ofDecimal = ''] = decimal.split('.');
  const unit = 10n ** BigInt(Math.max(ofDecimal.length - fraction.length, 0));
  const exact = scaled(decimal, ofDecimal.length);
  const difference = exact - scaled(`${whole}.${fraction}`, fraction.length) * unit;
  const isRounded = 2n * (difference < 0n ? -difference : difference) <= unit;
  assert.ok(Number(shown) === Number(decimal) || isRounded, `${shown} for ${decimal}`);
}

export async function checkHtlcPage(server: TestServer, hash: string): Promise<string[]> {
  const { items } = await server.json(`/htlc/${hash}?items=10`);
  const { main } = await getPage(server, `/htlc/${hash}`);
  assert.ok(main.text.includes(hash));
  const sections = main
    .all('section')
    .filter((section) => section.attribute('aria-labelledby')?.startsWith('contract-'));
  assert.equal(sections.length, items.length);
  const secret = items.find((item: Json) => item.secret !== null)?.secret;
  if (secret) assert.equal(main.fact('Secret').text, secret);
  else assert.match(main.fact('Secret').text, /not revealed/);
  return items.map((item: Json, i: number) => {
    const section = sections[i]!;
    assert.ok(section.one('h2').text.endsWith(item.status));
    if (item.value.amount) assert.deepEqual(section.one('h2').atoms(), [atoms(item.value.amount)]);
    assert.equal(section.fact('Claimable by').text, item.spend_address);
    assert.equal(section.fact('Refundable to').text, item.refund_address);
    const lock = section.facts().get('Refund lock');
    if (lock === undefined) assert.match(section.fact('Refundable since').text, /^(?:block \d+|\d{4}-)/);
    else assert.match(lock.text, /^(?:until|for) /);
    if (item.spent !== null) assert.ok(lock, 'what is spent cannot be refunded any more');
    const { source_id, index } = item.outpoint;
    assert.equal(section.fact('Output').text, `${source_id}:${index}`);
    assert.deepEqual(section.fact('Created').links(), [`/block/${item.block.height}`]);
    if (item.spent === null) assert.doesNotMatch(section.text, /Claimed|Refunded/);
    else {
      const word = item.status === 'claimed' ? 'Claimed' : 'Refunded';
      assert.equal(section.fact(`${word} by`).text, `${item.spent.tx_id} input ${item.spent.input_index}`);
      assert.deepEqual(section.fact(word).links(), [`/block/${item.spent.height}`]);
    }
    return item.status;
  });
}

/** The hashes of the secrets of all HTLCs. */
export async function htlcHashes(server: TestServer): Promise<string[]> {
  const transactions = (await server.pages('/transaction?items=100')).flat();
  const outputs = transactions.flatMap(({ outputs }) => outputs);
  return [...new Set<string>(outputs.flatMap(({ htlc }) => (htlc ? [htlc.secret_hash.hex] : [])))];
}
