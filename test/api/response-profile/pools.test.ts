/** Where the contracts differ about pools and delegations. */
import assert from 'node:assert/strict';
import { poolAddress } from '../../../src/chain/address.ts';
import { bothContracts, UNKNOWN } from './both-profiles.ts';

const { golden, differs, answers, alike } = bothContracts();

differs(
  'the delegations of a pool are paged, or given whole',
  async () => {
    const { pool_id } = await golden.one(
      'select pool_id from delegations group by pool_id order by count(*) desc limit 1',
    );
    return `/pool/${poolAddress(golden.network, pool_id!)}/delegations?items=1`;
  },
  {
    described: (body) => assert.equal(body.length, 1),
    core: (body) => assert.ok(body.length > 1),
  },
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
