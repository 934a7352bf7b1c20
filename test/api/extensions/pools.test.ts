/** Pools with all that is known of them, in every order, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, poolAddress } from '../../../src/chain/address.ts';
import { decimalText } from '../../../src/chain/decimal-text.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { byId, coins, error, errorOfOurParameter, got, listed, network, timeOf } = chain;

it('pools are listed in every order with all that is known of them', async () => {
  const { block_height: tip } = await got('/chain/tip');
  const expected = chain.facts
    .activePools()
    .map(({ pool, stake, allStake, expectedBlocks, expectedApr, expectedRank, delegationCount, blocks, rate }) => ({
      pool,
      expectedRank,
      month: blocks.month,
      rate,
      shown: {
        delegation_count: delegationCount,
        total_stake: coins(pool.stakerBalance + pool.delegationsBalance),
        effective_stake: coins(stake),
        stake_share: decimalText((stake * 10n ** 9n) / allStake, 9),
        blocks,
        expected_blocks_month: decimalText((expectedBlocks * 1_000n) / 10n ** 30n, 3),
        apr_month: rate < 0n ? null : decimalText((rate * 8_760n) / 720n / 10n ** 12n, 6),
        apr_expected: decimalText(expectedApr, 6),
        apy_month: rate < 0n ? null : decimalText((rate * 8_760n) / 720n / 10n ** 12n, 6),
      },
    }));
  const keys: Record<string, (entry: (typeof expected)[number]) => bigint> = {
    by_height: ({ pool }) => -BigInt(pool.creationHeight),
    by_pledge: ({ pool }) => -pool.stakerBalance,
    by_stake: ({ pool }) => -(pool.stakerBalance + pool.delegationsBalance),
    by_blocks: ({ month }) => -BigInt(month),
    by_margin: ({ pool }) => BigInt(pool.marginRatioPerThousand),
    by_apy: ({ rate }) => -rate,
    by_apr_expected: ({ expectedRank }) => -expectedRank,
  };
  for (const [sort, key] of Object.entries(keys)) {
    const sorted = expected.toSorted((a, b) => Number(key(a) - key(b)) || byId(a.pool, b.pool));
    const entries = await listed(`/pool?sort=${sort}&expand=true`);
    assert.deepEqual(
      entries.map(({ pool_id }) => pool_id),
      sorted.map(({ pool }) => poolAddress(network, pool.id)),
      sort,
    );
    for (const [i, { shown: fields, pool }] of sorted.entries()) {
      const entry = entries[i];
      assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, entry[name]])), fields);
      assert.equal(entry.created.height, pool.creationHeight);
      if (pool.creationHeight > 0) assert.equal(entry.created.timestamp, timeOf(pool.creationHeight));
      const { pool_id, staker_balance, cost_per_block } = entry;
      const plain = await got(`/pool/${pool_id}`);
      assert.deepEqual({ ...entry, ...plain }, entry, 'everything of the plain entry is there');
      assert.ok(staker_balance && cost_per_block);
    }
    // Without `expand` the same pools in the same order; an offset skips as many.
    const plain = await listed(`/pool?sort=${sort}`);
    assert.ok(plain.every((entry) => Object.keys(entry).length === 7));
    assert.deepEqual(
      plain.map(({ pool_id }) => pool_id),
      entries.map(({ pool_id }) => pool_id),
    );
    assert.deepEqual(await got(`/pool?sort=${sort}&expand=true&offset=2&items=3`), entries.slice(2, 5));
  }
  assert.ok(expected.some(({ pool }) => pool.creationHeight > 1));
  assert.ok(
    expected.some(({ pool, rate }) => rate > 0n && timeOf(pool.creationHeight || 1) > timeOf(tip) - 700 * 3_600),
  );
  assert.ok(expected.some(({ rate }) => rate < 0n) && expected.some(({ rate }) => rate > 0n));
  assert.deepEqual(await errorOfOurParameter('/pool?expand=yes'), [
    400,
    'Invalid expand: `true` or `false` is expected',
  ]);
  assert.deepEqual(await error('/pool?sort=by_name'), [400, 'Invalid pools sort order']);
});

it('a pool is given with all that is known of it, and with the transaction that decommissioned it', async () => {
  const active = new Map((await listed('/pool?expand=true')).map((entry) => [entry.pool_id, entry]));
  const [described] = chain.servers;
  const ends = new Map<string, object>();
  for (const { id: tx_id, block_id, timestamp, actions } of (
    await described!.pages('/transaction?expand=true')
  ).flat()) {
    for (const { type, pool_id } of actions) {
      if (type !== 'pool_decommission') continue;
      const { height } = await described!.json(`/block/${block_id}`);
      ends.set(pool_id, { tx_id, height, timestamp: Number(timestamp) });
    }
  }
  const blocksOfEnded: number[] = [];
  for (const { id, stakerBalance } of chain.facts.world.pools.values()) {
    const address = poolAddress(network, id);
    const { decommissioned, ...pool } = await got(`/pool/${address}?expand=true`);
    assert.equal(decommissioned === null, stakerBalance > 0n);
    assert.deepEqual(decommissioned, ends.get(address) ?? null);
    if (decommissioned === null) assert.deepEqual(pool, active.get(address));
    else blocksOfEnded.push(pool.blocks.total);
    assert.equal((await listed(`/pool/${address}/blocks`)).length, pool.blocks.total);
  }
  assert.ok(blocksOfEnded.length > 0);
  assert.deepEqual(await error(`/pool/${poolAddress(network, 'ab'.repeat(32))}?expand=true`), [
    404,
    'Stake pool not found',
  ]);
});

it('pools are listed for who may decommission them', async () => {
  const live = [...chain.facts.world.pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n);
  const owners = new Set(live.map(({ decommissionKey }) => decommissionKey));
  assert.ok(owners.size > 1);
  for (const owner of owners) {
    const own = live
      .filter(({ decommissionKey }) => decommissionKey === owner)
      .sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
    const entries = await listed(`/address/${destinationAddress(network, owner)}/pools`);
    assert.deepEqual(
      entries.map(({ pool_id, creation_block_height }) => [pool_id, creation_block_height]),
      own.map(({ id, creationHeight }) => [poolAddress(network, id), creationHeight]),
    );
  }
});
