/** One line for each row of "Where the shapes differ" (contract facts), on a recorded chain of every kind. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { fileScope } from '../support/file-scope.ts';
import { goldenChain } from '../support/recorded-chain.ts';
import { TestIndex } from '../support/test-index.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const scope = fileScope();
let network: Network;
let index: TestIndex;
let described: TestServer;
let core: TestServer;

before(async () => {
  const chain = await goldenChain('r21');
  network = chain.network;
  index = await TestIndex.create(scope, network);
  await index.follow(chain.mainChain, 50);
  const common = { network, postgres: index.postgres };
  described = await startTestWebServer(scope, common);
  core = await startTestWebServer(scope, { ...common, contract: 'mintlayer-core' });
});

/** The first row of a query. */
async function one(sql: string): Promise<Record<string, string>> {
  const { rows } = await index.session.writer.query(sql);
  assert.ok(rows[0], `nothing found: ${sql}`);
  return rows[0];
}

const address = async (where: string) =>
  destinationAddress(network, (await one(`select owner from ${where} limit 1`)).owner!);
const token = async (where: string) =>
  tokenAddress(network, (await one(`select token_id from tokens where ${where} limit 1`)).token_id!);
const nft = async () => tokenAddress(network, (await one('select token_id from nfts limit 1')).token_id!);
const transaction = async () => (await one('select tx_id from transactions order by tx_index limit 1')).tx_id!;
const spentOutput = async () => {
  const row = await one(`
    select x.tx_id, s.output_index from spends s
    join blocks b on b.height = s.height join transactions x on x.tx_index = b.first_tx_index + s.position limit 1`);
  return `/transaction/${row.tx_id}/output/${row.output_index}`;
};

const keysOf = (value: object) => Object.keys(value).sort();
const SH = ['hex', 'string'];

interface Row {
  readonly item: string;
  readonly described: () => Promise<void>;
  readonly core: () => Promise<void>;
}

/** The same path in both contracts, each answer judged by its own function. */
function differs(
  item: string,
  path: () => Promise<string> | string,
  // biome-ignore lint/suspicious/noExplicitAny: bodies are what the line says
  judge: { readonly described: (body: any) => void; readonly core: (body: any) => void },
): Row {
  return {
    item,
    described: async () => judge.described(await described.json(await path())),
    core: async () => judge.core(await core.json(await path())),
  };
}

/** The same path in both contracts, by status and body. */
function answers(
  item: string,
  path: () => Promise<string> | string,
  expected: { readonly described: readonly [number, unknown]; readonly core: readonly [number, unknown] },
): Row {
  const judge = async (server: TestServer, [status, body]: readonly [number, unknown]) => {
    const answer = await server.get(await path());
    assert.deepEqual([answer.status, answer.body], [status, body]);
  };
  return {
    item,
    described: () => judge(described, expected.described),
    core: () => judge(core, expected.core),
  };
}

const UNKNOWN = 'ee'.repeat(32);

const ROWS: readonly Row[] = [
  differs('a transaction has a timestamp', async () => `/transaction/${await transaction()}`, {
    described: (body) => assert.equal(typeof body.timestamp, 'number'),
    core: (body) => assert.match(body.timestamp, /^[0-9]+$/),
  }),
  differs('the list of transactions has the global index', () => '/transaction?items=1', {
    described: ([first]) => assert.equal(typeof first.tx_global_index, 'number'),
    core: ([first]) => assert.match(first.tx_global_index, /^[0-9]+$/),
  }),
  differs('a single transaction has the global index, or has not', async () => `/transaction/${await transaction()}`, {
    described: (body) => assert.equal(body.tx_global_index, 0),
    core: (body) => assert.ok(!('tx_global_index' in body)),
  }),
  differs(
    'an entry of spendable outputs names its block, or does not',
    async () =>
      `/address/${await address('utxos where unlock_height is null and unlock_time is null')}/spendable-utxos`,
    {
      described: ([first]) => {
        assert.deepEqual(keysOf(first), ['block', 'outpoint', 'utxo']);
        assert.deepEqual(keysOf(first.block), ['block_id', 'height', 'timestamp']);
      },
      core: ([first]) => assert.deepEqual(keysOf(first), ['outpoint', 'utxo']),
    },
  ),
  differs(
    'all outputs of an address hold the spent ones with what spent them, or only the unspent',
    async () =>
      `/address/${await address('outputs o join spends s using (height, position, output_index) where s.spent_position is not null and o.height > 0')}/all-utxos`,
    {
      described: (body) => {
        const spent = body.filter((entry: { spent: object | null }) => entry.spent !== null);
        assert.ok(spent.length > 0);
        assert.deepEqual(keysOf(spent[0].spent), ['block_id', 'height', 'timestamp', 'transaction_id']);
        assert.match(spent[0].spent.transaction_id, /^[0-9a-f]{64}$/);
      },
      core: (body) => assert.ok(body.every((entry: object) => keysOf(entry).join() === 'outpoint,utxo')),
    },
  ),
  differs(
    'the NFTs of an address are not among its tokens, or are',
    async () =>
      `/address/${await address(`balances b where amount > 0 and currency in (select token_id from nfts)
         and not exists (select from balances f join tokens on token_id = f.currency where f.owner = b.owner)`)}`,
    {
      described: (body) => assert.deepEqual(body.tokens, []),
      core: (body) => assert.deepEqual(body.tokens[0].amount, { atoms: '1', decimal: '1' }),
    },
  ),
  differs(
    'the delegations of an address are ids, or objects',
    async () => {
      const { spend_destination } = await one('select spend_destination from delegations limit 1');
      return `/address/${destinationAddress(network, spend_destination!)}/delegations`;
    },
    {
      described: ([first]) => assert.match(first, /^[a-z]+1/),
      core: ([first]) =>
        assert.deepEqual(keysOf(first), ['balance', 'delegation_id', 'next_nonce', 'pool_id', 'spend_destination']),
    },
  ),
  answers(
    'an address without token authority is an error, or an empty list',
    () => `/address/${destinationAddress(network, `01${'99'.repeat(20)}`)}/token-authority`,
    { described: [404, { error: 'No token authority found' }], core: [200, []] },
  ),
  differs('a token has a ticker', async () => `/token/${await token('true')}`, {
    described: (body) => assert.equal(typeof body.token_ticker, 'string'),
    core: (body) => assert.deepEqual(keysOf(body.token_ticker), SH),
  }),
  differs('a token has a metadata URI', async () => `/token/${await token('true')}`, {
    described: (body) => assert.deepEqual(keysOf(body.metadata_uri), ['hex']),
    core: (body) => assert.deepEqual(keysOf(body.metadata_uri), SH),
  }),
  differs('a token that cannot be frozen', async () => `/token/${await token('not is_freezable')}`, {
    described: (body) => assert.equal(body.is_token_freezable, false),
    core: (body) => assert.equal(body.is_token_freezable, false),
  }),
  differs('a fixed total supply', async () => `/token/${await token(`total_supply_type = 'Fixed'`)}`, {
    described: (body) => {
      assert.deepEqual(keysOf(body.total_supply), ['atoms', 'decimal']);
      assert.equal(body.total_supply_type, 'Fixed');
    },
    core: (body) => {
      assert.deepEqual(keysOf(body.total_supply), ['Fixed']);
      assert.deepEqual(keysOf(body.total_supply.Fixed), ['atoms']);
      assert.ok(!('total_supply_type' in body));
    },
  }),
  differs('an unlimited total supply', async () => `/token/${await token(`total_supply_type = 'Unlimited'`)}`, {
    described: (body) => {
      assert.deepEqual(body.total_supply, body.circulating_supply);
      assert.equal(body.total_supply_type, 'Unlimited');
    },
    core: (body) => assert.equal(body.total_supply, 'Unlimited'),
  }),
  differs('the texts of an NFT', async () => `/nft/${await nft()}`, {
    described: (body) => {
      for (const field of ['name', 'description', 'ticker', 'icon_uri', 'additional_metadata_uri', 'media_uri']) {
        assert.ok(body[field] === null || typeof body[field] === 'string', field);
      }
    },
    core: (body) => {
      for (const field of ['name', 'description', 'ticker']) assert.deepEqual(keysOf(body[field]), SH, field);
      for (const field of ['icon_uri', 'additional_metadata_uri', 'media_uri']) {
        assert.ok(body[field] === null || keysOf(body[field]).join() === SH.join(), field);
      }
    },
  }),
  differs("an NFT's media hash", async () => `/nft/${await nft()}`, {
    described: (body) => assert.match(body.media_hash, /^([0-9a-f]{2})+$/),
    core: (body) => assert.deepEqual(keysOf(body.media_hash), SH),
  }),
  differs('the statistics of a token', async () => `/statistics/token/${await token('true')}`, {
    described: (body) =>
      assert.deepEqual(keysOf(body), ['burned', 'circulating_supply', 'preminted', 'staked', 'total_supply']),
    core: (body) => assert.deepEqual(keysOf(body), ['burned', 'circulating_supply', 'preminted', 'staked']),
  }),
  answers('a height without a block', () => '/chain/100000', {
    described: [200, null],
    core: [404, { error: 'No block found at supplied height' }],
  }),
  answers('a height that no chain will reach', () => '/chain/9223372036854775807', {
    described: [200, null],
    core: [404, { error: 'No block found at supplied height' }],
  }),
  {
    item: 'the height of the genesis',
    described: async () => assert.equal(await described.json('/chain/0'), network.genesisId),
    core: async () => assert.equal((await core.get('/chain/0')).status, 404),
  },
  {
    item: 'a spent output',
    described: async () => {
      const answer = await described.get(await spentOutput());
      assert.deepEqual([answer.status, answer.body], [404, { error: 'Transaction output already spent' }]);
    },
    core: async () => assert.equal(typeof (await core.json(await spentOutput())).spent_at_block_height, 'number'),
  },
  differs(
    'the delegations of a pool are paged, or given whole',
    async () => {
      const { pool_id } = await one('select pool_id from delegations group by pool_id order by count(*) desc limit 1');
      return `/pool/${poolAddress(network, pool_id!)}/delegations?items=1`;
    },
    {
      described: (body) => assert.equal(body.length, 1),
      core: (body) => assert.ok(body.length > 1),
    },
  ),
  differs(
    'the offset of token transactions is a position, or an upper bound',
    async () => `/token/${await token('true')}/transactions?offset=0`,
    {
      described: (body) => assert.ok(body.length > 0),
      core: (body) => assert.deepEqual(body, []),
    },
  ),
  answers('the transactions of an unknown token', () => `/token/${tokenAddress(network, UNKNOWN)}/transactions`, {
    described: [404, { error: 'Token not found' }],
    core: [200, []],
  }),
  answers('a malformed delegation id', () => '/delegation/xyz', {
    described: [400, { error: 'Invalid delegation Id' }],
    core: [400, { error: 'Invalid pool Id' }],
  }),
];

for (const row of ROWS) {
  it(`described: ${row.item}`, row.described);
  it(`mintlayer-core: ${row.item}`, row.core);
}

describe('a frozen token', () => {
  it('can be frozen: no, or null; can be unfrozen: as it was said', async () => {
    const id = await token('is_freezable');
    const { rows } = await index.session.writer.query(
      `update tokens set is_frozen = true, is_unfreezable = false where is_freezable returning token_id`,
    );
    assert.ok(rows.length > 0);
    await index.session.writer.query('update chain_tip set revision = revision + 1');
    try {
      await until(async () => (await described.json(`/token/${id}`)).frozen);
      const body = await described.json(`/token/${id}`);
      assert.deepEqual([body.is_token_freezable, body.is_token_unfreezable], [false, false]);
      await until(async () => (await core.json(`/token/${id}`)).frozen);
      const coreBody = await core.json(`/token/${id}`);
      assert.deepEqual([coreBody.is_token_freezable, coreBody.is_token_unfreezable], [null, false]);
    } finally {
      await index.session.writer.query('update tokens set is_frozen = false, is_unfreezable = null');
      await index.session.writer.query('update chain_tip set revision = revision + 1');
    }
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not become so within two seconds');
}

describe('the HTLCs of an address', () => {
  const waiting = 'utxos where refund_owner is not null and owner <> refund_owner and unlock_height is null';

  it('are listed for the refund key only once the lock has passed, or always', async () => {
    const { owner, place } = await one(
      `select refund_owner as owner, height || '.' || output_index as place from ${waiting}
         and refund_height > (select height + 1 from chain_tip) limit 1`,
    );
    const path = `/address/${destinationAddress(network, owner!)}/spendable-utxos`;
    const [, outputIndex] = place!.split('.');
    const htlcs = (entries: { utxo: { type: string }; outpoint: { index: number } }[]) =>
      entries.filter((entry) => entry.utxo.type === 'Htlc' && entry.outpoint.index === Number(outputIndex)).length;
    const all = htlcs(await core.json(path));
    assert.ok(all > 0);
    assert.ok(htlcs(await described.json(path)) < all);
  });

  it('are listed for the spend key always', async () => {
    const path = `/address/${await address(waiting)}/spendable-utxos`;
    const isHtlc = (entry: { utxo: { type: string } }) => entry.utxo.type === 'Htlc';
    assert.ok((await described.json(path)).some(isHtlc));
    assert.ok((await core.json(path)).some(isHtlc));
  });
});

describe('what both contracts do right where mintlayer-core is wrong', () => {
  for (const contract of ['described', 'mintlayer-core'] as const) {
    const server = () => (contract === 'described' ? described : core);

    it(`${contract}: a locked output exists`, async () => {
      const row = await one(`
        select x.tx_id, u.output_index from utxos u join blocks b on b.height = u.height
        join transactions x on x.tx_index = b.first_tx_index + u.position
        where u.unlock_height is not null and u.height > 0 limit 1`);
      const output = await server().json(`/transaction/${row.tx_id}/output/${row.output_index}`);
      assert.equal(output.spent_at_block_height, null);
      assert.ok('lock' in output);
    });

    it(`${contract}: block-stats count the blocks that the pool made, and an unknown pool is not found`, async () => {
      const { pool_id, count, first, last } = await one(`
        select pool_id, count(*) as count, min(timestamp) as first, max(timestamp) as last
        from blocks where pool_id is not null group by pool_id order by count(*) desc limit 1`);
      const stats = (id: string, from: unknown, to: unknown) =>
        server().get(`/pool/${poolAddress(network, id)}/block-stats?from=${from}&to=${to}`);
      assert.deepEqual((await stats(pool_id!, first, last)).body, { block_count: Number(count) });
      assert.deepEqual((await stats(pool_id!, last, first)).body, { block_count: 0 });
      assert.deepEqual((await stats(pool_id!, 0, '9223372036854775807')).body, { block_count: Number(count) });
      assert.equal((await stats(UNKNOWN, 0, 1)).body.error, 'Stake pool not found');
      assert.equal((await stats(pool_id!, 0, '9223372036854775808')).status, 400);
    });

    it(`${contract}: an order that is concluded is still found by its id, and in no list`, async () => {
      const { order_id } = await one('select order_id from orders where is_concluded limit 1');
      assert.equal((await server().get(`/order/${orderAddress(network, order_id!)}`)).status, 200);
      assert.deepEqual(await server().json('/order'), []);
    });

    it(`${contract}: the genesis and its reward are no block`, async () => {
      assert.equal((await server().get(`/block/${network.genesisId}`)).status, 404);
      assert.equal((await server().json('/chain/genesis')).block_id, network.genesisId);
    });

    it(`${contract}: unknown things are not found, each in its own words`, async () => {
      const missing: [path: string, message: string][] = [
        [`/block/${UNKNOWN}`, 'Block not found'],
        [`/block/${UNKNOWN}/header`, 'Block not found'],
        [`/transaction/${UNKNOWN}`, 'Transaction not found'],
        [`/transaction/${UNKNOWN}/merkle-path`, 'Transaction not found'],
        [`/transaction/${UNKNOWN}/output/0`, 'Transaction output not found'],
        [`/pool/${poolAddress(network, UNKNOWN)}`, 'Stake pool not found'],
        [`/delegation/${delegationAddress(network, UNKNOWN)}`, 'Delegation not found'],
        [`/token/${tokenAddress(network, UNKNOWN)}`, 'Token not found'],
        [`/token/${await nft()}`, 'Token not found'],
        [`/nft/${await token('true')}`, 'NFT not found'],
        [`/order/${orderAddress(network, UNKNOWN)}`, 'Order not found'],
        [`/statistics/token/${tokenAddress(network, UNKNOWN)}`, 'Token not found'],
        [`/address/${destinationAddress(network, `01${'99'.repeat(20)}`)}`, 'Address not found'],
      ];
      for (const [path, message] of missing) {
        const answer = await server().get(path);
        assert.deepEqual([answer.status, answer.body], [404, { error: message }], path);
      }
    });
  }
});
