/** The pages of tokens, NFTs, orders, markets and HTLCs while a simulated chain grows and reorganises. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { builtBefore } from '../support/file-scope.ts';
import { getPage } from '../support/html-page.ts';
import { WholeStack } from '../support/whole-stack.ts';
import {
  COIN,
  checkHtlcPage,
  checkMarketPage,
  checkNftPage,
  checkOrderPage,
  checkTokenPage,
  htlcHashes,
  orderIds,
  pairOf,
  tokensOfType,
} from './check-token-and-order-pages.ts';
import { atoms, linked, pagedRows, percent } from './page-values.ts';

const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'explorer', blocks: 250 }));

const server = () => stack().servers.described;

/** The first of each kind that `kindOf` tells, `most` of each. */
function someOfEach<Item>(items: readonly Item[], kindOf: (item: Item) => string, most: number): Item[] {
  const numbers = new Map<string, number>();
  return items.filter((item) => {
    const number = numbers.get(kindOf(item)) ?? 0;
    numbers.set(kindOf(item), number + 1);
    return number < most;
  });
}

it('tokens of every kind of supply, locked, frozen and burned ones show what the API answers', async () => {
  const tokens = await tokensOfType(server(), 'fungible');
  const kinds = new Map<string, string>();
  for (const { token_id } of tokens) {
    const token = await server().json(`/token/${token_id}`);
    const { burned } = await server().json(`/statistics/token/${token_id}`);
    const isBurned = burned.atoms === '0' ? '' : 'burned';
    kinds.set(
      token_id,
      [token.total_supply_type, token.is_locked, token.frozen, token.is_token_unfreezable, isBurned].join(),
    );
  }
  const some = someOfEach(tokens, ({ token_id }) => kinds.get(token_id)!, 2);
  assert.ok(new Set(kinds.values()).size > 6, [...new Set(kinds.values())].join(' '));
  for (const token of some) await checkTokenPage(server(), token);
});

it('lists on the page of a token go on by their own cursors, and each keeps the place of the other', async () => {
  const tokens = await tokensOfType(server(), 'fungible');
  const token = tokens.toSorted((a, b) => b.holders - a.holders)[0];
  const path = `/statistics/token/${token.token_id}/holders?sort=total&items=1&cursor=`;
  const { next_cursor } = await server().json(path);
  const all = (await server().pages(`/statistics/token/${token.token_id}/holders?sort=total&items=100`)).flat();
  assert.ok(all.length > 1, 'a token has several holders');
  const history = await server().json(`/token/${token.token_id}/transactions?items=1&cursor=`);
  const cursors = `holders=${next_cursor}&cursor=${history.next_cursor}`;
  const { main } = await getPage(server(), `/token/${token.token_id}?${cursors}`);
  assert.equal(main.table('holders')[0]![0]!.text, all[1].address);
  assert.equal(main.fact('Top holder').text, percent(atoms(all[0].total), atoms(token.circulating_supply)));
  const first = main.all('a').filter((link) => link.attribute('rel') === 'first');
  assert.deepEqual(
    first.map((link) => link.attribute('href')),
    [
      `/token/${token.token_id}?cursor=${history.next_cursor}#holders`,
      `/token/${token.token_id}?holders=${next_cursor}#transactions`,
    ],
  );
});

it('NFTs with and without an owner show what the API answers', async () => {
  const nfts = await tokensOfType(server(), 'nft');
  const some = someOfEach(nfts, ({ owner }) => String(owner === null), 8);
  assert.ok(some.some(({ owner }) => owner === null));
  for (const nft of some) await checkNftPage(server(), nft);
});

it('orders of every state show what the API answers', async () => {
  const states = new Map<string, number>();
  for (const id of await orderIds(server())) {
    const state = await checkOrderPage(server(), id);
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  assert.deepEqual([...states.keys()].sort(), ['closed', 'filled', 'frozen', 'open']);
});

it('the list of orders has every open order, and those of a pair by a form, whichever side comes first', async () => {
  const open = (await server().pages('/order?items=100')).flat();
  const rows = await pagedRows(server(), '/orders?items=10');
  assert.ok(open.length > 10);
  assert.deepEqual(
    rows.map(([id, side, , amount, total]) => {
      const [gives, asks] = side!.text.startsWith('Sell') ? [amount, total] : [total, amount];
      return [linked(id!), gives!.atoms(), asks!.atoms()];
    }),
    open.map((order) => [order.order_id, [BigInt(order.give_balance.atoms)], [BigInt(order.ask_balance.atoms)]]),
  );
  for (const order of open.slice(0, 5)) {
    const pair = pairOf(order);
    const [one, other] = pair.split('_') as [string, string];
    const ofPair = (await server().pages(`/order/pair/${pair}?items=100`)).flat().map(({ order_id }) => order_id);
    const queries = [`pair=${pair}`, `pair=${other}_${one}`, `first=${one}&second=${other}`];
    if (one === COIN) queries.push(`second=${other}`);
    for (const query of queries) {
      const found = (await pagedRows(server(), `/orders?items=1&${query}`)).map(([id]) => linked(id!));
      assert.deepEqual(found, ofPair, query);
    }
  }
});

it('the order book of each pair, seen from both sides, shows the levels that the API answers', async () => {
  const open = (await server().pages('/order?items=100')).flat();
  let levels = 0;
  for (const pair of new Set(open.map(pairOf))) {
    levels += await checkMarketPage(server(), pair);
    levels += await checkMarketPage(server(), pair.split('_').reverse().join('_'));
  }
  assert.ok(levels > 10);
});

it('HTLCs that are open, claimed and refunded show what the API answers', async () => {
  const states = new Set<string>();
  for (const hash of await htlcHashes(server())) {
    for (const state of await checkHtlcPage(server(), hash)) states.add(state);
  }
  assert.deepEqual([...states].sort(), ['claimed', 'open', 'refunded']);
});
