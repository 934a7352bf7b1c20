/** Every list, read in every way, against the whole of it. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { destinationAddress, poolAddress, tokenAddress } from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known.ts';
import { fileScope } from '../support/file-scope.ts';
import { BUSY_OWNER, fillTables } from '../support/filled-tables.ts';
import { TestIndex } from '../support/test-index.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const network = networkByName('regtest');
const SIZES = {
  blocks: 60,
  transactionsPerBlock: 4,
  pools: 45,
  delegations: 57,
  tokens: 43,
  nfts: 19,
  orders: 90,
  holders: 61,
};

const scope = fileScope();
const TRANSACTIONS = SIZES.blocks * SIZES.transactionsPerBlock;

let index: TestIndex;
let server: TestServer;
let core: TestServer;
let oneToken: string;
let idOf: (table: string, column: string, where: string) => Promise<string>;

before(async () => {
  index = await TestIndex.create(scope, network);
  await fillTables(index.session.writer, SIZES);
  server = await startTestWebServer(scope, { network, postgres: index.postgres });
  core = await startTestWebServer(scope, { network, postgres: index.postgres, contract: 'mintlayer-core' });
  idOf = async (table, column, where) => {
    const { rows } = await index.session.writer.query(`select ${column} as id from ${table} where ${where} limit 1`);
    return rows[0].id;
  };
  oneToken = await firstToken();
});

const busy = destinationAddress(network, BUSY_OWNER);
const firstToken = async () => tokenAddress(network, await idOf('tokens', 'token_id', 'circulating_supply = 1'));
const firstPool = async () => poolAddress(network, await idOf('delegations', 'pool_id', 'true'));

/** How many outputs the busy owner could spend in the next block, counted one by one as the tables were filled. */
function spendable(): number {
  let count = 0;
  for (let i = 0; i < TRANSACTIONS; i++) {
    const height = 1 + Math.floor(i / SIZES.transactionsPerBlock);
    const isSpent = height % 2 === 0 && height < SIZES.blocks;
    if (i % 3 === 0 && i % 5 !== 0 && !isSpent) count++;
    if (i % 10 === 0 && i % 4 === 0) count++;
  }
  return count;
}

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
    path: async () => `/pool/${await firstPool()}/delegations`,
    length: SIZES.delegations,
    hasOffset: true,
  },
  { name: 'tokens', path: () => '/token', length: SIZES.tokens + SIZES.nfts, hasOffset: true },
  { name: 'tokens by ticker', path: () => '/token/ticker/T', length: SIZES.tokens + SIZES.nfts, hasOffset: true },
  {
    name: "a token's transactions",
    path: async () => `/token/${await firstToken()}/transactions`,
    length: TRANSACTIONS / 2,
    hasOffset: true,
  },
  { name: "a token's holders", path: async () => `/token/${await firstToken()}/holders`, length: 62, hasOffset: true },
  { name: 'holders of the coin', path: () => '/statistics/coin/holders', length: 62, hasOffset: true },
  { name: 'open orders', path: () => '/order', length: 71, hasOffset: true },
  {
    name: 'open orders of a pair',
    path: async () => `/order/pair/RML_${await firstToken()}`,
    length: 71,
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
    length: spendable(),
    hasOffset: false,
    isWhole: true,
  },
  {
    name: 'all outputs',
    path: () => `/address/${busy}/all-utxos`,
    length: 80 + 24,
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
      const small = (await server.pages(await withParameters(list, 'items=7'))).flat();
      const large = (await server.pages(await withParameters(list, 'items=100'))).flat();
      assert.equal(new Set(keys(small)).size, list.length);
      assert.equal(small.length, list.length);
      assert.deepEqual(small, large);
    });

    it('has full pages but for the last one, and no cursor there', async () => {
      const pages = await server.pages(await withParameters(list, 'items=7'));
      assert.equal(pages.length, Math.ceil(list.length / 7));
      assert.ok(pages.slice(0, -1).every((page) => page.length === 7));
      assert.ok(pages.at(-1)!.length > 0);
    });

    it('names the next page as a link as well', async () => {
      const first = await server.get(await withParameters(list, 'items=7'));
      const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
      const second = await server.request(link);
      assert.deepEqual(second.body, (await server.pages(await withParameters(list, 'items=7')))[1]);
    });

    it('refuses the cursor of another list and one together with an offset', async () => {
      const other = list.name === 'transactions' ? '/token?items=1' : '/transaction?items=1';
      const cursor = (await server.get(other)).headers.get('x-next-cursor');
      const answer = await server.get(await withParameters(list, `cursor=${cursor}`));
      assert.deepEqual([answer.status, answer.body], [400, { error: 'Invalid cursor' }]);
      if (!list.hasOffset) return;
      const own = (await server.get(await withParameters(list, 'items=1'))).headers.get('x-next-cursor');
      assert.equal((await server.get(await withParameters(list, `offset=0&cursor=${own}`))).status, 400);
    });

    if (list.hasOffset) {
      it('gives the same entries by offset', async () => {
        const all = (await server.pages(await withParameters(list, 'items=100'))).flat();
        for (const offset of [0, 1, 13, list.length - 1, list.length, list.length + 5]) {
          const page = await server.json(await withParameters(list, `offset=${offset}&items=9`));
          assert.deepEqual(page, all.slice(offset, offset + 9), `offset ${offset}`);
        }
        assert.deepEqual(await server.json(await withParameters(list, 'offset=9223372036854775807')), []);
        assert.deepEqual(await server.json(await withParameters(list, 'items=0')), []);
      });
    }

    if (list.isWhole) {
      it('is given whole when no page is asked for', async () => {
        const all = (await server.pages(await withParameters(list, 'items=100'))).flat();
        assert.deepEqual(await server.json(await list.path()), all);
      });
    }
  });
}

describe('the order of lists', () => {
  it('is descending by the balance, ties ascending by id, for pools by pledge', async () => {
    const pools = (await server.pages('/pool?sort=by_pledge&items=10')).flat();
    const rows = await index.session.writer.query(
      'select pool_id from pools where staker_balance > 0 order by staker_balance desc, pool_id',
    );
    assert.deepEqual(
      pools.map((pool) => pool.pool_id),
      rows.rows.map(({ pool_id }) => poolAddress(network, pool_id)),
    );
  });

  it('is descending by height, ties ascending by id, for pools and orders', async () => {
    const pools = (await server.pages('/pool?items=10')).flat();
    const rows = await index.session.writer.query('select pool_id from pools order by creation_height desc, pool_id');
    assert.deepEqual(
      pools.map((pool) => pool.pool_id),
      rows.rows.map(({ pool_id }) => poolAddress(network, pool_id)),
    );
  });

  it('is the fungible tokens by id, then the NFTs by id', async () => {
    const rows = await index.session.writer.query(`
      select token_id from (select token_id, 0 as half from tokens union all select token_id, 1 from nfts) x
      order by half, token_id`);
    assert.deepEqual(
      (await server.pages('/token?items=10')).flat(),
      rows.rows.map(({ token_id }) => tokenAddress(network, token_id)),
    );
  });

  it('is the same whichever side of a pair comes first', async () => {
    const token = await firstToken();
    assert.deepEqual(
      await server.json(`/order/pair/rml_${token}?items=100`),
      await server.json(`/order/pair/${token}_RML?items=100`),
    );
    assert.deepEqual(await server.json('/order/pair/RML_RML'), []);
  });

  it('is newest first by the global index for transactions, and absolute offsets are an upper bound', async () => {
    const transactions = await server.json('/transaction?offset_mode=absolute&offset=100&items=3');
    assert.deepEqual(
      transactions.map((transaction: { tx_global_index: number }) => transaction.tx_global_index),
      [99, 98, 97],
    );
    assert.deepEqual(await server.json('/transaction?offset_mode=absolute'), []);
  });
});

describe('the search by ticker', () => {
  it('finds a text anywhere in a ticker, in any case', async () => {
    const all = await server.json('/token/ticker/tk?items=100');
    assert.equal(all.length, SIZES.tokens);
    const found = await server.json('/token/ticker/k1?items=100');
    assert.equal(found.length, 11);
    assert.deepEqual(await server.json('/token/ticker/K1?items=100'), found);
    assert.equal((await server.json('/token/ticker/NFTx?items=100')).length, SIZES.nfts);
  });

  it('takes every character as itself and any text as a search', async () => {
    for (const text of ['%25', '_', '%5C', '%00', '"', "'", 'x'.repeat(5000), '%F0%9F%98%80', '{', ',']) {
      assert.deepEqual(await server.json(`/token/ticker/${text}`), [], text);
    }
  });
});

describe('the tokens of an address', () => {
  it('are the ids of the fungible ones, in order', async () => {
    const { tokens } = await server.json(`/address/${busy}`);
    assert.deepEqual(tokens, (await server.pages('/token?items=100')).flat().slice(0, SIZES.tokens));
  });

  it('are objects of both kinds in the contract of mintlayer-core', async () => {
    const { tokens } = await core.json(`/address/${busy}`);
    assert.equal(tokens.length, SIZES.tokens + SIZES.nfts);
    assert.deepEqual(Object.keys(tokens[0]).sort(), ['amount', 'token_id']);
    const first = tokens.find((entry: { token_id: string }) => entry.token_id === oneToken);
    assert.deepEqual(first.amount, { atoms: '1', decimal: '0.1' });
  });
});

describe('in the contract of mintlayer-core', () => {
  it('the delegations of a pool are given whole, whatever the offset and the number say, but paged by cursor', async () => {
    const path = `/pool/${await firstPool()}/delegations`;
    const all = await core.json(path);
    assert.equal(all.length, SIZES.delegations);
    assert.deepEqual(await core.json(`${path}?offset=3&items=2`), all);
    const first = await core.get(`${path}?cursor=&items=40`);
    assert.deepEqual(first.body, all.slice(0, 40));
    const next = first.headers.get('x-next-cursor');
    assert.deepEqual(await core.json(`${path}?cursor=${next}&items=40`), all.slice(40));
  });

  it('the offset of token transactions is an upper bound of the index', async () => {
    const path = `/token/${await firstToken()}/transactions`;
    const newest = await core.json(`${path}?items=2`);
    const below = await core.json(`${path}?items=2&offset=${newest[1].tx_global_index}`);
    assert.ok(below[0].tx_global_index < newest[1].tx_global_index);
    assert.deepEqual(await core.json(`${path}?offset=0`), []);
  });

  it('all outputs are the unspent ones, locked or not', async () => {
    const { rows } = await index.session.writer.query(
      `select count(*)::int as count from utxos where owner = '\\x${BUSY_OWNER}' or refund_owner = '\\x${BUSY_OWNER}'`,
    );
    assert.equal((await core.json(`/address/${busy}/all-utxos`)).length, rows[0].count);
  });
});

describe('price levels', () => {
  it('are the open orders by exact price, the best first on both sides', async () => {
    const token = await firstToken();
    const book = await server.json(`/order/pair/${token}_RML/price-levels?depth=100`);
    assert.deepEqual(book.base_currency, { type: 'Token', token_id: token });
    assert.deepEqual(book.quote_currency, { type: 'Coin' });
    const count = (levels: { order_count: number }[]) => levels.reduce((sum, level) => sum + level.order_count, 0);
    assert.equal(count(book.asks) + count(book.bids), 71);
    const values = (levels: { price: string }[]) => levels.map((level) => Number(level.price));
    assert.deepEqual(
      values(book.asks),
      values(book.asks).toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      values(book.bids),
      values(book.bids).toSorted((a, b) => b - a),
    );
    assert.equal(new Set(values(book.asks)).size, book.asks.length);
    // Coins have 11 decimals and the token 1: a price in atoms of 10/7 is one in whole units of 10/7 · 10^(1 − 11).
    const [best] = book.asks;
    assert.equal(Number(best.price_numerator) / Number(best.price_denominator) / 10 ** 10, Number(best.price));
    assert.deepEqual(await server.json(`/order/pair/${token}_RML/price-levels?depth=1`), {
      ...book,
      asks: book.asks.slice(0, 1),
      bids: book.bids.slice(0, 1),
    });
  });

  it('seen from the other side are asks for bids, their prices turned over', async () => {
    const token = await firstToken();
    const book = await server.json(`/order/pair/${token}_RML/price-levels`);
    const mirrored = await server.json(`/order/pair/RML_${token}/price-levels`);
    assert.equal(mirrored.asks[0].price_numerator, book.bids[0].price_denominator);
    assert.deepEqual(mirrored.asks[0].base_amount, book.bids[0].quote_amount);
    assert.deepEqual(mirrored.bids[0].quote_amount, book.asks[0].base_amount);
  });

  it('of a currency with itself, or of an unknown token, are none', async () => {
    const nobody = tokenAddress(network, 'ee'.repeat(32));
    for (const pair of ['RML_RML', `RML_${nobody}`]) {
      const book = await server.json(`/order/pair/${pair}/price-levels`);
      assert.deepEqual([book.asks, book.bids], [[], []]);
    }
    assert.equal((await server.get('/order/pair/RML_RML/price-levels?depth=101')).status, 400);
  });
});

describe('holders', () => {
  it('hold shares of what is in circulation, the largest first', async () => {
    const holders = (await server.pages('/statistics/coin/holders?items=10')).flat();
    assert.deepEqual(holders[0], {
      address: busy,
      amount: { atoms: '168', decimal: '0.00000000168' },
      share_per_million: 168,
    });
    const atoms = holders.map((holder) => Number(holder.amount.atoms));
    assert.deepEqual(
      atoms,
      atoms.toSorted((a, b) => b - a),
    );
  });

  it('of an unknown token are not found', async () => {
    const answer = await server.get(`/token/${tokenAddress(network, 'ee'.repeat(32))}/holders`);
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Token not found' }]);
  });
});
