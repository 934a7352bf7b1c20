/** Where the contracts differ about what there is not; recorded-answers.test.ts and published-description.test.ts have what there is. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { until } from '../../support/until.ts';
import { bothContracts, UNKNOWN } from './both-profiles.ts';

const { golden, answers, each, alike } = bothContracts();

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

const spentOutput = async () => {
  const row = await golden.one(`
    select x.tx_id, s.output_index from spends s
    join blocks b on b.height = s.height join transactions x on x.tx_index = b.first_tx_index + s.position limit 1`);
  return `/transaction/${row.tx_id}/output/${row.output_index}`;
};

each('a spent output', {
  described: async () => {
    await golden.described.refuses(await spentOutput(), 404, 'Transaction output already spent');
  },
  core: async () => assert.equal(typeof (await golden.core.json(await spentOutput())).spent_at_block_height, 'number'),
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

answers('the transactions of an unknown token', () => `/token/${tokenAddress(golden.network, UNKNOWN)}/transactions`, {
  described: [404, { error: 'Token not found' }],
  core: [200, []],
});

it('described: an unlimited supply is told as what circulates', async () => {
  const body = await golden.described.json(`/token/${await golden.token(`total_supply_type = 'Unlimited'`)}`);
  assert.deepEqual([body.total_supply, body.total_supply_type], [body.circulating_supply, 'Unlimited']);
});

it('a frozen token cannot be frozen, and can be unfrozen if the freeze allowed that', async () => {
  const id = await golden.token('is_freezable');
  const { rows } = await golden.index.query(
    `update tokens set is_frozen = true, is_unfreezable = false where is_freezable returning token_id`,
  );
  assert.ok(rows.length > 0);
  await golden.index.query('update chain_tip set revision = revision + 1');
  try {
    await until(async () => (await golden.described.json(`/token/${id}`)).frozen, 'it is frozen');
    const body = await golden.described.json(`/token/${id}`);
    assert.deepEqual([body.is_token_freezable, body.is_token_unfreezable], [false, false]);
    await until(async () => (await golden.core.json(`/token/${id}`)).frozen, 'it is frozen');
    const coreBody = await golden.core.json(`/token/${id}`);
    assert.deepEqual([coreBody.is_token_freezable, coreBody.is_token_unfreezable], [null, false]);
  } finally {
    await golden.index.query('update tokens set is_frozen = false, is_unfreezable = null');
    await golden.index.query('update chain_tip set revision = revision + 1');
  }
});
