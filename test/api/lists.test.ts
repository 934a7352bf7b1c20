/** Every list, read in every way, against the whole of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { poolAddress, tokenAddress } from '../../src/chain/address.ts';
import { busy, countOf, filledServers, network, OPEN_ORDERS, SIZES, TRANSACTIONS } from '../support/filled-servers.ts';
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
/** All holders have something that is free or locked, and the busy owner is one of them. */
const HOLDERS = SIZES.holders + 1;

interface List {
  readonly name: string;
  readonly path: () => Promise<string> | string;
  readonly length: number;
  /** `offset` means a position in the list. */
  readonly hasOffset: boolean;
  /** Everything is given when no page is asked for. */
  readonly isWhole?: boolean;
}

const LISTS: readonly List[] = [
  { name: 'transactions', path: () => '/transaction', length: TRANSACTIONS, hasOffset: true },
  { name: 'pools by height', path: () => '/pool', length: SIZES.pools, hasOffset: true },
  { name: 'pools by pledge', path: () => '/pool?sort=by_pledge', length: SIZES.pools, hasOffset: true },
  {
    name: "a pool's delegations",
    path: async () => `/pool/${await filled.firstPool()}/delegations`,
    length: SIZES.delegations,
    hasOffset: true,
  },
  { name: 'tokens', path: () => '/token', length: SIZES.tokens + SIZES.nfts, hasOffset: true },
  { name: 'tokens by ticker', path: () => '/token/ticker/T', length: SIZES.tokens + SIZES.nfts, hasOffset: true },
  {
    name: "a token's transactions",
    path: async () => `/token/${await filled.firstToken()}/transactions`,
    length: TRANSACTIONS / 2,
    hasOffset: true,
  },
  {
    name: "a token's holders",
    path: async () => `/token/${await filled.firstToken()}/holders`,
    length: HOLDERS,
    hasOffset: true,
  },
  { name: 'holders of the coin', path: () => '/statistics/coin/holders', length: HOLDERS, hasOffset: true },
  { name: 'open orders', path: () => '/order', length: OPEN_ORDERS, hasOffset: true },
  {
    name: 'open orders of a pair',
    path: async () => `/order/pair/RML_${await filled.firstToken()}`,
    length: OPEN_ORDERS,
    hasOffset: true,
  },
  {
    name: "an address' transactions",
    path: () => `/address/${busy}/transactions`,
    length: TRANSACTIONS / 2,
    hasOffset: true,
  },
  {
    name: "an address' delegations",
    path: () => `/address/${busy}/delegations`,
    length: SIZES.delegations,
    hasOffset: false,
    isWhole: true,
  },
  {
    name: 'the tokens of an authority',
    path: () => `/address/${busy}/token-authority`,
    length: SIZES.tokens,
    hasOffset: false,
    isWhole: true,
  },
  {
    name: 'spendable outputs',
    path: () => `/address/${busy}/spendable-utxos`,
    length: SPENDABLE,
    hasOffset: false,
    isWhole: true,
  },
  {
    name: 'all outputs',
    path: () => `/address/${busy}/all-utxos`,
    length: OUTPUTS,
    hasOffset: false,
    isWhole: true,
  },
];

async function withParameters(list: List, parameters: string): Promise<string> {
  const path = await list.path();
  return `${path}${path.includes('?') ? '&' : '?'}${parameters}`;
}

const keys = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry));

for (const list of LISTS) {
  describe(`the list of ${list.name}`, () => {
    it('gives every entry exactly once, by cursors of any page size', async () => {
      const small = (await filled.server.pages(await withParameters(list, 'items=7'))).flat();
      const large = (await filled.server.pages(await withParameters(list, 'items=100'))).flat();
      assert.equal(new Set(keys(small)).size, list.length);
      assert.equal(small.length, list.length);
      assert.deepEqual(small, large);
    });

    it('has full pages but for the last one, and no cursor there', async () => {
      const pages = await filled.server.pages(await withParameters(list, 'items=7'));
      assert.equal(pages.length, Math.ceil(list.length / 7));
      assert.ok(pages.slice(0, -1).every((page) => page.length === 7));
      assert.ok(pages.at(-1)!.length > 0);
    });

    it('names the next page as a link as well', async () => {
      const first = await filled.server.get(await withParameters(list, 'items=7'));
      const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
      const second = await filled.server.request(link);
      assert.deepEqual(second.body, (await filled.server.pages(await withParameters(list, 'items=7')))[1]);
    });

    it('refuses the cursor of another list and one together with an offset', async () => {
      const other = list.name === 'transactions' ? '/token?items=1' : '/transaction?items=1';
      const cursor = (await filled.server.get(other)).headers.get('x-next-cursor');
      const answer = await filled.server.get(await withParameters(list, `cursor=${cursor}`));
      assert.deepEqual([answer.status, answer.body], [400, { error: 'Invalid cursor' }]);
      if (!list.hasOffset) return;
      const own = (await filled.server.get(await withParameters(list, 'items=1'))).headers.get('x-next-cursor');
      assert.equal((await filled.server.get(await withParameters(list, `offset=0&cursor=${own}`))).status, 400);
    });

    if (list.hasOffset) {
      it('gives the same entries by offset', async () => {
        const all = (await filled.server.pages(await withParameters(list, 'items=100'))).flat();
        for (const offset of [0, 1, 13, list.length - 1, list.length, list.length + 5]) {
          const page = await filled.server.json(await withParameters(list, `offset=${offset}&items=9`));
          assert.deepEqual(page, all.slice(offset, offset + 9), `offset ${offset}`);
        }
        assert.deepEqual(await filled.server.json(await withParameters(list, 'offset=9223372036854775807')), []);
        assert.deepEqual(await filled.server.json(await withParameters(list, 'items=0')), []);
      });
    }

    if (list.isWhole) {
      it('is given whole when no page is asked for', async () => {
        const all = (await filled.server.pages(await withParameters(list, 'items=100'))).flat();
        assert.deepEqual(await filled.server.json(await list.path()), all);
      });
    }
  });
}

describe('the order of lists', () => {
  it('is descending by the balance, ties ascending by id, for pools by pledge', async () => {
    const pools = (await filled.server.pages('/pool?sort=by_pledge&items=10')).flat();
    const rows = await filled.index.session.writer.query(
      'select pool_id from pools where staker_balance > 0 order by staker_balance desc, pool_id',
    );
    assert.deepEqual(
      pools.map((pool) => pool.pool_id),
      rows.rows.map(({ pool_id }) => poolAddress(network, pool_id)),
    );
  });

  it('is descending by height, ties ascending by id, for pools and orders', async () => {
    const pools = (await filled.server.pages('/pool?items=10')).flat();
    const rows = await filled.index.session.writer.query(
      'select pool_id from pools order by creation_height desc, pool_id',
    );
    assert.deepEqual(
      pools.map((pool) => pool.pool_id),
      rows.rows.map(({ pool_id }) => poolAddress(network, pool_id)),
    );
  });

  it('is the fungible tokens by id, then the NFTs by id', async () => {
    const rows = await filled.index.session.writer.query(`
      select token_id from (select token_id, 0 as half from tokens union all select token_id, 1 from nfts) x
      order by half, token_id`);
    assert.deepEqual(
      (await filled.server.pages('/token?items=10')).flat(),
      rows.rows.map(({ token_id }) => tokenAddress(network, token_id)),
    );
  });

  it('is the same whichever side of a pair comes first', async () => {
    const token = await filled.firstToken();
    assert.deepEqual(
      await filled.server.json(`/order/pair/rml_${token}?items=100`),
      await filled.server.json(`/order/pair/${token}_RML?items=100`),
    );
    assert.deepEqual(await filled.server.json('/order/pair/RML_RML'), []);
  });

  it('is newest first by the global index for transactions, and absolute offsets are an upper bound', async () => {
    const transactions = await filled.server.json('/transaction?offset_mode=absolute&offset=100&items=3');
    assert.deepEqual(
      transactions.map((transaction: { tx_global_index: number }) => transaction.tx_global_index),
      [99, 98, 97],
    );
    assert.deepEqual(await filled.server.json('/transaction?offset_mode=absolute'), []);
  });
});

describe('in the contract of mintlayer-core', () => {
  it('the delegations of a pool are given whole, whatever the offset and the number say, but paged by cursor', async () => {
    const path = `/pool/${await filled.firstPool()}/delegations`;
    const all = await filled.core.json(path);
    assert.equal(all.length, SIZES.delegations);
    assert.deepEqual(await filled.core.json(`${path}?offset=3&items=2`), all);
    const first = await filled.core.get(`${path}?cursor=&items=40`);
    assert.deepEqual(first.body, all.slice(0, 40));
    const next = first.headers.get('x-next-cursor');
    assert.deepEqual(await filled.core.json(`${path}?cursor=${next}&items=40`), all.slice(40));
  });

  it('the offset of token transactions is an upper bound of the index', async () => {
    const path = `/token/${await filled.firstToken()}/transactions`;
    const newest = await filled.core.json(`${path}?items=2`);
    const below = await filled.core.json(`${path}?items=2&offset=${newest[1].tx_global_index}`);
    assert.ok(below[0].tx_global_index < newest[1].tx_global_index);
    assert.deepEqual(await filled.core.json(`${path}?offset=0`), []);
  });

  it('all outputs are the unspent ones, locked or not', async () => {
    const { rows } = await filled.index.session.writer.query(
      `select count(*)::int as count from utxos where owner = '\\x${BUSY_OWNER}' or refund_owner = '\\x${BUSY_OWNER}'`,
    );
    assert.equal((await filled.core.json(`/address/${busy}/all-utxos`)).length, rows[0].count);
  });
});
