/** Days without a block, deposits of nothing, and a pool that leaves nothing of a reward to its delegations. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import { deriveDelegationId, transactionId } from '../../src/chain/derive-ids.ts';
import { COIN, coins, OWNER, POOL, signed, spend, transfer } from '../ledger/small-world.ts';
import { EventStream } from '../support/event-stream.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';

const DAY = 86_400;
const DELEGATOR = `01${'0b'.repeat(20)}`;

const chain = new HandmadeChain([
  transfer(coins(100n * COIN)),
  {
    type: 'CreateStakePool',
    poolId: POOL,
    data: {
      pledge: 40n * COIN,
      staker: OWNER,
      vrfPublicKey: `00${'11'.repeat(32)}`,
      decommissionKey: OWNER,
      marginRatioPerThousand: 1000,
      costPerBlock: 0n,
    },
  },
]);
const { network } = chain;

const created = signed(
  [spend(network.genesisId, 0, 'BlockReward')],
  [transfer(coins(100n * COIN)), { type: 'CreateDelegationId', poolId: POOL, destination: DELEGATOR }],
);
const delegationId = deriveDelegationId(created.transaction.inputs)!;
chain.add({ transactions: [created] });
const deposited = signed(
  [spend(transactionId(created.transaction), 0)],
  [transfer(coins(60n * COIN)), { type: 'DelegateStaking', delegationId, amount: 40n * COIN }],
);
const before = chain.add({ transactions: [deposited] });
const withdrawn = signed([{ type: 'Account', nonce: 0n, delegationId, amount: COIN }], [transfer(coins(COIN))]);
chain.add({
  transactions: [withdrawn],
  reward: [{ type: 'ProduceBlockFromStake', destination: OWNER, poolId: POOL }],
  consensus: {
    type: 'PoS',
    data: {
      kernelInputs: [spend(network.genesisId, 1, 'BlockReward')],
      kernelWitness: [{ type: 'NoSignature', data: null }],
      stakePoolId: POOL,
      vrfData: `00${'22'.repeat(96)}`,
      compactTarget: 0x207fffff,
    },
  },
});
const nothing = signed(
  [spend(transactionId(deposited.transaction), 0)],
  [transfer(coins(60n * COIN)), { type: 'DelegateStaking', delegationId, amount: 0n }],
);
const last = chain.add({ transactions: [nothing], secondsLater: 40 * DAY });

// That the index fits together in itself is the test of the deposit of nothing: `test/replay` recomputes each day of a delegation.
const servers = handmadeServers(chain);

const dayOf = (timestamp: number): number => Math.floor(timestamp / DAY) * DAY;
const firstDay = dayOf(before.block.header.timestamp);
const today = dayOf(last.block.header.timestamp);

it('series of days have a point for each day that is over, also for days without a block', async () => {
  for (const id of ['active_addresses', 'new_addresses', 'largest_pools_share']) {
    const { points, complete_until } = await servers.described.json(`/statistics/series/${id}?interval=day`);
    const expected = Array.from({ length: (today - firstDay) / DAY }, (_, day) => firstDay + day * DAY);
    assert.deepEqual(
      points.map(([time]: [number]) => time),
      expected,
      id,
    );
    assert.equal(complete_until, today, id);
  }
  const { points } = await servers.described.json('/statistics/series/active_addresses?interval=day');
  assert.equal(points.at(-1)[1], '0');
});

it('series of days have a point for a month that is over, though no later day with a block is', async () => {
  const { points } = await servers.described.json('/statistics/series/active_addresses?interval=month');
  assert.equal(points.length, 1);
});

it('a stream does not tell a delegator of a reward that the pool keeps', async (t) => {
  const stream = await EventStream.during(t, {
    port: servers.described.port,
    query: `address=${destinationAddress(network, DELEGATOR)}`,
    lastEventId: `2-${before.id}`,
  });
  await stream.sees('the last deposit', ({ data }) => data.content?.tx_id === transactionId(nothing.transaction));
  assert.equal(stream.of('activity').length, 1);
});
