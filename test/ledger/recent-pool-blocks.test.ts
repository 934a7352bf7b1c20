/** The windows of pools' blocks, whatever the times of blocks are: against a naive count of all of them. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { hourOf } from '../../src/chain/calendar.ts';
import { medianTime, nextTimestamps } from '../../src/chain/median-time.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { Id } from '../../src/chain/types.ts';
import { newBlockContext } from '../../src/ledger/apply-block.ts';
import type { BlockContext } from '../../src/ledger/block-context.ts';
import { hoursEnteringOrLeaving, movePoolWindows } from '../../src/ledger/pool-block-windows.ts';
import type { PoolBlock } from '../../src/ledger/recent-pool-blocks.ts';
import { LedgerState } from '../../src/ledger/state.ts';
import type { Pool } from '../../src/ledger/state-rows.ts';

const POOLS: readonly Id[] = ['aa'.repeat(32), 'bb'.repeat(32)];
const START = 1_700_000_000;

function emptyPool(poolId: Id): Pool {
  return {
    ...{ poolId, creationHeight: 0, pledge: 1n, rewards: 0n, delegationsBalance: 0n, delegationCount: 0 },
    ...{ effectiveStake: 0n, blocksTotal: 0, blocksDay: 0, blocksMonth: 0, monthRate: 0n, changedDay: 0 },
    ...{ stakerRewards: 0n, delegationRewards: 0n, expectedBase: 0n, decommissionedBy: null },
    ...{ staker: '00', decommissionDestination: '00', vrfPublicKey: '00', marginRatioPerThousand: 0, costPerBlock: 0n },
  };
}

function block(state: LedgerState, timestamp: number): BlockContext {
  const place = { height: 1, blockId: '', timestamp, medianTime: timestamp, identified: null };
  return newBlockContext(state, networkByName('regtest-pos'), place);
}

/** Moves the windows and counts the block, as a block's reward does. */
function makeBlock(state: LedgerState, made: PoolBlock, previous: number): void {
  movePoolWindows(block(state, made.timestamp), previous);
  const pool = state.pools.get(made.poolId)!;
  const { blocksDay, blocksMonth, monthRate } = pool;
  const counts = { blocksDay: blocksDay + 1, blocksMonth: blocksMonth + 1, monthRate: monthRate + made.rate };
  state.pools.set(made.poolId, { ...pool, ...counts });
  state.poolBlocks.add(made);
}

/** What a pool has in its windows at a tip, counted. */
function counted(all: readonly PoolBlock[], poolId: Id, tip: number) {
  const within = (hours: number) =>
    all.filter((made) => made.poolId === poolId && made.timestamp <= tip && made.timestamp > tip - hours * 3600);
  const month = within(720);
  return { day: within(24).length, month: month.length, rate: month.reduce((sum, { rate }) => sum + rate, 0n) };
}

/** Seconds from one block to the next: minutes, hours, days, months; now and then back. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 4_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 3_500, max: 30_000 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(3_600, 23 * 3_600, 24 * 3_600, 24 * 3_600 - 1, 720 * 3_600, 720 * 3_600 - 1),
  },
  { weight: 1, arbitrary: fc.integer({ min: 50_000, max: 4_000_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -90_000, max: 0 }) },
);

it('the windows up to the tip hold the blocks of its last 24 and 720 hours to the second, however times jump, also after a restart', () => {
  const steps = fc.array(fc.record({ step, pool: fc.nat(1), rate: fc.bigInt({ min: 0n, max: 9n }) }), {
    minLength: 2,
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, fc.nat(59), (blocks, restart) => {
      let state = new LedgerState({ isWhole: true });
      for (const poolId of POOLS) state.pools.set(poolId, emptyPool(poolId));
      let timestamps: readonly number[] = [START];
      const all: PoolBlock[] = [];
      let stored: readonly PoolBlock[] = [];
      for (const [i, { step: seconds, pool, rate }] of blocks.entries()) {
        if (i === restart) {
          const pools = [...state.pools.rows()];
          state = new LedgerState();
          for (const row of pools) state.pools.load(row.poolId, row);
          stored = [...all];
        }
        const previous = timestamps.at(-1)!;
        const timestamp = Math.max(previous + seconds, medianTime(timestamps));
        for (const hour of hoursEnteringOrLeaving(previous, timestamp)) {
          const ofHour = stored.filter((made) => hourOf(made.timestamp) === hour);
          if (!state.poolBlocks.isKnown(hour)) state.poolBlocks.load(hour, ofHour);
        }
        const made = { poolId: POOLS[pool]!, timestamp, rate };
        makeBlock(state, made, previous);
        all.push(made);
        timestamps = nextTimestamps(timestamps, timestamp);
        state.poolBlocks.forgetBefore(Math.min(...timestamps));
        for (const id of POOLS) {
          const { blocksDay: day, blocksMonth: month, monthRate } = state.pools.get(id)!;
          assert.deepEqual({ day, month, rate: monthRate }, counted(all, id, timestamp), `after block ${i}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

it('the windows up to the tip need the hours that are in memory or were read', () => {
  const state = new LedgerState();
  assert.throws(() => movePoolWindows(block(state, START + 3_600), START), /hour \d+ were not collected/);
});
