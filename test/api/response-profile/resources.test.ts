/** Where the contracts differ about what an address has, about pools and delegations, transactions and outputs, and about what there is not. */
import assert from 'node:assert/strict';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { bothContracts, keysOf, UNKNOWN } from './both-profiles.ts';

const { golden, differs, answers, each, alike } = bothContracts();

differs(
  'an entry of spendable outputs names its block, or does not',
  async () =>
    `/address/${await golden.address('utxos where unlock_height is null and unlock_time is null')}/spendable-utxos`,
  {
    described: ([first]) => {
      assert.deepEqual(keysOf(first), ['block', 'outpoint', 'utxo']);
      assert.deepEqual(keysOf(first.block), ['block_id', 'height', 'timestamp']);
    },
    core: ([first]) => assert.deepEqual(keysOf(first), ['outpoint', 'utxo']),
  },
);

differs(
  'all outputs of an address hold the spent ones with what spent them, or only the unspent',
  async () =>
    `/address/${await golden.address('outputs o join spends s using (height, position, output_index) where s.spent_position is not null and o.height > 0')}/all-utxos`,
  {
    described: (body) => {
      const spent = body.filter((entry: { spent: object | null }) => entry.spent !== null);
      assert.ok(spent.length > 0);
      assert.deepEqual(keysOf(spent[0].spent), ['block_id', 'height', 'timestamp', 'transaction_id']);
      assert.match(spent[0].spent.transaction_id, /^[0-9a-f]{64}$/);
    },
    core: (body) => assert.ok(body.every((entry: object) => keysOf(entry).join() === 'outpoint,utxo')),
  },
);

differs(
  'the delegations of an address are ids, or objects',
  async () => `/address/${await golden.address('delegations', 'spend_destination')}/delegations`,
  {
    described: ([first]) => assert.match(first, /^[a-z]+1/),
    core: ([first]) =>
      assert.deepEqual(keysOf(first), ['balance', 'delegation_id', 'next_nonce', 'pool_id', 'spend_destination']),
  },
);

answers(
  'an address without token authority is an error, or an empty list',
  () => `/address/${destinationAddress(golden.network, `01${'99'.repeat(20)}`)}/token-authority`,
  { described: [404, { error: 'No token authority found' }], core: [200, []] },
);

answers('a malformed delegation id', () => '/delegation/xyz', {
  described: [400, { error: 'Invalid delegation Id' }],
  core: [400, { error: 'Invalid pool Id' }],
});

alike('block-stats count the blocks that the pool made, and an unknown pool is not found', async (server) => {
  const { pool_id, count, first, last } = await golden.one(`
    select pool_id, count(*) as count, min(timestamp) as first, max(timestamp) as last
    from blocks where pool_id is not null group by pool_id order by count(*) desc limit 1`);
  const stats = (id: string, from: unknown, to: unknown) =>
    server.get(`/pool/${poolAddress(golden.network, id)}/block-stats?from=${from}&to=${to}`);
  assert.deepEqual((await stats(pool_id!, first, last)).body, { block_count: Number(count) });
  assert.deepEqual((await stats(pool_id!, last, first)).body, { block_count: 0 });
  assert.deepEqual((await stats(pool_id!, 0, '9223372036854775807')).body, { block_count: Number(count) });
  assert.equal((await stats(UNKNOWN, 0, 1)).body.error, 'Stake pool not found');
  assert.equal((await stats(pool_id!, 0, '9223372036854775808')).status, 400);
});

const firstTransaction = () => golden.value('select tx_id from transactions order by tx_index limit 1');
const spentOutput = async () => {
  const row = await golden.one(`
    select x.tx_id, s.output_index from spends s
    join blocks b on b.height = s.height join transactions x on x.tx_index = b.first_tx_index + s.position limit 1`);
  return `/transaction/${row.tx_id}/output/${row.output_index}`;
};

differs(
  'a transaction has a timestamp, and confirmations in a text',
  async () => `/transaction/${await firstTransaction()}`,
  {
    described: ({ timestamp, confirmations }) =>
      assert.deepEqual([typeof timestamp, typeof confirmations], ['number', 'string']),
    core: ({ timestamp, confirmations }) => {
      assert.match(timestamp, /^[0-9]+$/);
      assert.match(confirmations, /^[0-9]+$/);
    },
  },
);

differs('the list of transactions has the global index', () => '/transaction?items=1', {
  described: ([first]) => assert.equal(typeof first.tx_global_index, 'number'),
  core: ([first]) => assert.match(first.tx_global_index, /^[0-9]+$/),
});

differs(
  'a single transaction has the global index, or has not',
  async () => `/transaction/${await firstTransaction()}`,
  {
    described: (body) => assert.equal(body.tx_global_index, 0),
    core: (body) => assert.ok(!('tx_global_index' in body)),
  },
);

each('a spent output', {
  described: async () => {
    await golden.described.refuses(await spentOutput(), 404, 'Transaction output already spent');
  },
  core: async () => assert.equal(typeof (await golden.core.json(await spentOutput())).spent_at_block_height, 'number'),
});

alike('a locked output exists', async (server) => {
  const row = await golden.one(`
    select x.tx_id, u.output_index from utxos u join blocks b on b.height = u.height
    join transactions x on x.tx_index = b.first_tx_index + u.position
    where u.unlock_height is not null and u.height > 0 limit 1`);
  const output = await server.json(`/transaction/${row.tx_id}/output/${row.output_index}`);
  assert.equal(output.spent_at_block_height, null);
  assert.ok('lock' in output);
});

answers('a height without a block', () => '/chain/100000', {
  described: [200, null],
  core: [404, { error: 'No block found at supplied height' }],
});

answers('a height that no chain will reach', () => '/chain/9223372036854775807', {
  described: [200, null],
  core: [404, { error: 'No block found at supplied height' }],
});

each('the height of the genesis', {
  described: async () => assert.equal(await golden.described.json('/chain/0'), golden.network.genesisId),
  core: async () => assert.equal((await golden.core.get('/chain/0')).status, 404),
});

alike('the genesis and its reward are no block', async (server) => {
  assert.equal((await server.get(`/block/${golden.network.genesisId}`)).status, 404);
  assert.equal((await server.json('/chain/genesis')).block_id, golden.network.genesisId);
});

alike('unknown things are not found, each in its own words', async (server) => {
  const missing: [path: string, message: string][] = [
    [`/block/${UNKNOWN}`, 'Block not found'],
    [`/block/${UNKNOWN}/header`, 'Block not found'],
    [`/transaction/${UNKNOWN}`, 'Transaction not found'],
    [`/transaction/${UNKNOWN}/merkle-path`, 'Transaction not found'],
    [`/transaction/${UNKNOWN}/output/0`, 'Transaction output not found'],
    [`/pool/${poolAddress(golden.network, UNKNOWN)}`, 'Stake pool not found'],
    [`/delegation/${delegationAddress(golden.network, UNKNOWN)}`, 'Delegation not found'],
    [`/token/${tokenAddress(golden.network, UNKNOWN)}`, 'Token not found'],
    [`/token/${await golden.nft()}`, 'Token not found'],
    [`/nft/${await golden.token()}`, 'NFT not found'],
    [`/order/${orderAddress(golden.network, UNKNOWN)}`, 'Order not found'],
    [`/statistics/token/${tokenAddress(golden.network, UNKNOWN)}`, 'Token not found'],
    [`/address/${destinationAddress(golden.network, `01${'99'.repeat(20)}`)}`, 'Address not found'],
  ];
  for (const [path, message] of missing) {
    const answer = await server.get(path);
    assert.deepEqual([answer.status, answer.body.error], [404, message], path);
  }
});
