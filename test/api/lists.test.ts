/** Every list, read in every way, against the whole of it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  busy,
  countOf,
  FIRST_POOL,
  FIRST_TOKEN,
  filledServers,
  OPEN_ORDERS,
  PRICE_LEVELS,
  SIZES,
  TRANSACTIONS,
} from '../support/filled-servers.ts';
import { BUSY_OWNER } from '../support/filled-tables.ts';

const filled = filledServers();
/** How many outputs the busy owner could spend in the next block, counted one by one as the tables were filled. */
const SPENDABLE =
  countOf(0, TRANSACTIONS, (i) => i % 3 === 0 && i % 5 !== 0 && !isSpent(i)) +
  countOf(0, TRANSACTIONS, (i) => i % 10 === 0 && i % 4 === 0);

/** Of the transaction of that number: the first output. */
function isSpent(i: number): boolean {
  const height = 1 + Math.floor(i / SIZES.transactionsPerBlock);
  return height % 2 === 0 && height < SIZES.blocks;
}

/** The outputs that he owns, and those that he may refund, spent or not. */
const OUTPUTS = countOf(0, TRANSACTIONS, (i) => i % 3 === 0) + countOf(0, TRANSACTIONS, (i) => i % 10 === 0);
/** All holders have some of the coin that is free, and the busy owner is one of them. */
const HOLDERS = SIZES.holders + 1;
/** Of the first token, those have none that is free. */
const WITHOUT_FREE_TOKENS = countOf(1, SIZES.holders, (i) => i % 20 === 0);

/**
 * What is given without a cursor: an array, of which `offset` may leave out the first entries; all as an array; or an
 * envelope, with an offset that has no effect (`envelope`) or is refused (`ours`).
 */
type Kind = 'array' | 'whole' | 'envelope' | 'ours';

const LISTS: readonly (readonly [name: string, path: string, length: number, kind: Kind])[] = [
  ['transactions', '/transaction', TRANSACTIONS, 'array'],
  ['pools by height', '/pool', SIZES.pools, 'array'],
  ['pools by pledge', '/pool?sort=by_pledge', SIZES.pools, 'array'],
  ["a pool's delegations", `/pool/${FIRST_POOL}/delegations`, SIZES.delegations, 'array'],
  ['tokens', '/token', SIZES.tokens + SIZES.nfts, 'array'],
  ['tokens by ticker', '/token/ticker/T', SIZES.tokens + SIZES.nfts, 'array'],
  ["a token's transactions", `/token/${FIRST_TOKEN}/transactions`, TRANSACTIONS / 2, 'array'],
  ['open orders', '/order', OPEN_ORDERS, 'array'],
  ['open orders of a pair', `/order/pair/RML_${FIRST_TOKEN}`, OPEN_ORDERS, 'array'],
  ["a token's holders", `/statistics/token/${FIRST_TOKEN}/holders`, HOLDERS - WITHOUT_FREE_TOKENS, 'envelope'],
  [
    "a token's holders, locked tokens included",
    `/statistics/token/${FIRST_TOKEN}/holders?sort=total`,
    HOLDERS,
    'envelope',
  ],
  ['holders of the coin', '/statistics/coin/holders', HOLDERS, 'envelope'],
  [
    'price levels of orders that ask for the token',
    `/order/pair/${FIRST_TOKEN}_RML/book?side=ask`,
    PRICE_LEVELS.askingForToken,
    'envelope',
  ],
  [
    'price levels of orders that give the token, the best first',
    `/order/pair/${FIRST_TOKEN}_RML/book?side=bid&order=best`,
    PRICE_LEVELS.givingToken,
    'envelope',
  ],
  ["an address' transactions", `/address/${busy}/transactions`, TRANSACTIONS / 2, 'ours'],
  ["an address' delegations", `/address/${busy}/delegations`, SIZES.delegations, 'whole'],
  ['the tokens of an authority', `/address/${busy}/token-authority`, SIZES.tokens, 'whole'],
  ['spendable outputs', `/address/${busy}/spendable-utxos`, SPENDABLE, 'whole'],
  ['all outputs', `/address/${busy}/all-utxos`, OUTPUTS, 'whole'],
];

const keys = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry));

for (const [name, path, length, kind] of LISTS) {
  /** The path with these parameters. */
  const asked = (parameters = '') => `${path}${path.includes('?') ? '&' : '?'}${parameters}`;

  it(`the list of ${name} gives every entry exactly once, by cursors of any page size, in full pages`, async () => {
    const pages = await filled.server.pages(asked('items=7'));
    const small = pages.flat();
    const large = (await filled.server.pages(asked('items=100'))).flat();
    assert.equal(new Set(keys(small)).size, length);
    assert.equal(small.length, length);
    assert.deepEqual(small, large);
    // All are full but for the last one, which has no cursor.
    assert.equal(pages.length, Math.ceil(length / 7));
    assert.ok(pages.slice(0, -1).every((page) => page.length === 7));
    assert.ok(pages.at(-1)!.length > 0);
  });

  it(`the list of ${name} names the next page in the headers as well`, async () => {
    const first = await filled.server.get(asked('cursor=&items=7'));
    assert.equal(first.headers.get('x-next-cursor'), first.body.next_cursor);
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
    const second = await filled.server.request(link);
    assert.deepEqual(second.body.items, (await filled.server.pages(asked('items=7')))[1]);
  });

  it(`the list of ${name} refuses the cursor of another list, a damaged one, and pages of no entries`, async () => {
    const other = name === 'transactions' ? '/token?items=1' : '/transaction?items=1';
    const cursor = (await filled.server.get(other)).headers.get('x-next-cursor');
    const { next_cursor: own } = await filled.server.json(asked('cursor=&items=1'));
    for (const wrong of [cursor, `${own}A`, own.slice(1), 'x', '%20', 'A'.repeat(1_025)]) {
      await filled.server.refuses(asked(`cursor=${wrong}`), 400, 'Invalid cursor');
    }
    for (const items of ['0', '101', 'x', '']) {
      await filled.server.refuses(asked(`cursor=&items=${items}`), 400, 'Invalid number of items');
    }
  });

  it(`the list of ${name} checks an offset beside a cursor, and goes by the cursor alone`, async () => {
    const { next_cursor: cursor } = await filled.server.json(asked('cursor=&items=2'));
    const second = await filled.server.json(asked(`items=2&cursor=${cursor}`));
    const both = await filled.server.get(asked(`items=2&cursor=${cursor}&offset=5`));
    if (kind === 'ours') {
      assert.deepEqual([both.status, both.body.error], [400, 'Invalid offset: this list is paged by cursor']);
      return;
    }
    assert.deepEqual(both.body, second);
    await filled.server.refuses(asked(`items=2&cursor=${cursor}&offset=x`), 400, 'Invalid offset');
  });

  if (kind === 'array') {
    it(`the list of ${name} names the page after an array in the headers, only where there is one`, async () => {
      const all = (await filled.server.pages(asked('items=100'))).flat();
      const first = await filled.server.get(asked('items=7'));
      const cursor = first.headers.get('x-next-cursor');
      const second = await filled.server.json(asked(`items=7&cursor=${cursor}`));
      assert.deepEqual([...first.body, ...second.items], all.slice(0, 14));
      const last = await filled.server.get(asked(`items=7&offset=${length - 7}`));
      assert.equal(last.body.length, 7);
      assert.deepEqual([last.headers.get('x-next-cursor'), last.headers.get('link')], [null, null]);
    });
  }

  if (kind === 'whole') {
    it(`the list of ${name} is given whole, as an array, without a cursor`, async () => {
      const all = (await filled.server.pages(asked('items=100'))).flat();
      for (const query of ['', 'items=2', 'items=0', 'items=500&offset=x']) {
        const { body, headers } = await filled.server.get(asked(query));
        assert.deepEqual([body, headers.get('x-next-cursor')], [all, null], query);
      }
      assert.deepEqual((await filled.core.pages(asked('items=7'))).flat(), await filled.core.json(asked('items=0')));
    });
  }

  if (kind === 'envelope' || kind === 'ours') {
    it(`the list of ${name} comes in an envelope without a cursor, too`, async () => {
      const [first] = await filled.server.pages(asked('items=7'));
      const { items, next_cursor } = await filled.server.json(asked('items=7'));
      assert.deepEqual(items, first);
      assert.equal(typeof next_cursor, 'string');
      const withOffset = await filled.server.get(asked('items=7&offset=3'));
      if (kind === 'ours') assert.equal(withOffset.status, 400);
      else assert.deepEqual(withOffset.body.items, first);
    });
  }
}

it('the order of lists is the same whichever side of a pair comes first', async () => {
  assert.deepEqual(
    await filled.server.json(`/order/pair/rml_${FIRST_TOKEN}?items=100`),
    await filled.server.json(`/order/pair/${FIRST_TOKEN}_RML?items=100`),
  );
  assert.deepEqual(await filled.server.json('/order/pair/RML_RML'), []);
});

it('the order of lists is newest first by the global index for transactions, and absolute offsets are an upper bound', async () => {
  const transactions = await filled.server.json('/transaction?offset_mode=absolute&offset=100&items=3');
  const indexes = transactions.map((transaction: { tx_global_index: number }) => transaction.tx_global_index);
  assert.deepEqual(indexes, [99, 98, 97]);
  assert.deepEqual(await filled.server.json('/transaction?offset_mode=absolute'), []);
});

it('the order of lists goes on after a page by absolute offset where its link leads', async () => {
  const { headers } = await filled.server.get('/transaction?offset_mode=absolute&offset=100&items=3&junk=1');
  const link = /^<(.*)>; rel="next"$/.exec(headers.get('link')!)![1]!;
  const { items } = (await filled.server.request(link)).body;
  const indexes = items.map((transaction: { tx_global_index: number }) => transaction.tx_global_index);
  assert.deepEqual(indexes, [96, 95, 94]);
  assert.doesNotMatch(link, /junk|offset/);
});

it('in the contract of mintlayer-core, the delegations of a pool are given whole, whatever the offset and the number say, but paged by cursor', async () => {
  const path = `/pool/${FIRST_POOL}/delegations`;
  const all = await filled.core.json(path);
  assert.equal(all.length, SIZES.delegations);
  assert.deepEqual(await filled.core.json(`${path}?offset=3&items=2`), all);
  const first = await filled.core.get(`${path}?cursor=&items=40`);
  assert.deepEqual(first.body.items, all.slice(0, 40));
  const { next_cursor } = first.body;
  assert.deepEqual((await filled.core.json(`${path}?cursor=${next_cursor}&items=40`)).items, all.slice(40));
});

it('in the contract of mintlayer-core, the offset of token transactions is an upper bound of the index', async () => {
  const path = `/token/${FIRST_TOKEN}/transactions`;
  const newest = await filled.core.json(`${path}?items=2`);
  const below = await filled.core.json(`${path}?items=2&offset=${newest[1].tx_global_index}`);
  assert.ok(below[0].tx_global_index < newest[1].tx_global_index);
  assert.deepEqual(await filled.core.json(`${path}?offset=0`), []);
});

it('in the contract of mintlayer-core, all outputs are the unspent ones, locked or not', async () => {
  const { rows } = await filled.index.query(
    `select count(*)::int as count from utxos where owner = '\\x${BUSY_OWNER}' or refund_owner = '\\x${BUSY_OWNER}'`,
  );
  assert.equal((await filled.core.json(`/address/${busy}/all-utxos`)).length, rows[0].count);
});

it('the search by ticker finds a text anywhere in a ticker, in any case', async () => {
  const all = await filled.server.json('/token/ticker/tk?items=100');
  assert.equal(all.length, SIZES.tokens);
  const found = await filled.server.json('/token/ticker/k1?items=100');
  const count = countOf(1, SIZES.tokens, (i) => `tk${i}`.includes('k1'));
  assert.equal(found.length, count);
  assert.deepEqual(await filled.server.json('/token/ticker/K1?items=100'), found);
  assert.equal((await filled.server.json('/token/ticker/NFTx?items=100')).length, SIZES.nfts);
});

it('the search by ticker takes every character as itself and any text as a search', async () => {
  for (const text of ['%25', '_', '%5C', '%00', '"', "'", 'x'.repeat(5000), '%F0%9F%98%80', '{', ',']) {
    assert.deepEqual(await filled.server.json(`/token/ticker/${text}`), [], text);
  }
});

it('a list validates the id, then sort or offset_mode, its conflict with a cursor, offset, items and cursor in this order', async () => {
  const holders = `/statistics/token/${FIRST_TOKEN}/holders`;
  for (const [path, error] of [
    ['/pool?sort=x&offset=x', 'Invalid pools sort order'],
    ['/pool?offset=x&items=0&cursor=x', 'Invalid offset'],
    ['/pool?items=0&cursor=x', 'Invalid number of items'],
    ['/pool?cursor=x', 'Invalid cursor'],
    ['/transaction?offset_mode=x&cursor=&offset=x', 'Invalid offset mode'],
    ['/transaction?offset_mode=x&offset=x&items=x', 'Invalid offset mode'],
    ['/transaction?offset_mode=legacy&cursor=&offset=x', 'Bad request'],
    ['/transaction?offset_mode=absolute&cursor=x', 'Bad request'],
    ['/transaction?cursor=x&offset=x&items=0', 'Invalid offset'],
    ['/transaction?cursor=x&items=0', 'Invalid number of items'],
    ['/transaction?cursor=x', 'Invalid cursor'],
    [`${holders}?offset=x&items=0&cursor=x`, 'Invalid offset'],
    [`${holders}?items=0&cursor=x`, 'Invalid number of items'],
    [`${holders}?cursor=x`, 'Invalid cursor'],
    ['/token/xyz/transactions?offset=x', 'Invalid token Id'],
    ['/order/pair/a_b_c?offset=x', 'Invalid order trading pair'],
    // The query before the id.
    ['/pool/xyz/block-stats', 'Failed to deserialize query string: missing field `from`'],
    ['/pool/xyz/block-stats?from=0&to=0', 'Invalid pool Id'],
    ['/transaction/xyz/output/x', 'Invalid URL: Cannot parse value at index 1 with value `"x"` to a `u32`'],
  ] as const) {
    for (const server of [filled.server, filled.core]) await server.refuses(path, 400, error);
  }
});
