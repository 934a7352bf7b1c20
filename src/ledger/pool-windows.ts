/**
 * Moves the two windows in which the blocks of pools are counted: the 24 and the 720 complete UTC hours before the hour of
 * the tip. So all indexes with the same tip have the same counts (docs/indexing-rules.md#stored-sums-and-counts).
 */
import { MONTH_HOURS } from '../chain/apy-constants.ts';
import { DAY_HOURS, hourOf } from '../chain/calendar.ts';
import type { Id } from '../chain/types.ts';
import { type BlockContext, refuseBlock } from './block-context.ts';

/** Yields the hours that are in the window of `length` hours before `to`, but not in the one before `from`. */
function* entering(from: number, to: number, length: number): Generator<number> {
  for (let hour = to - length; hour < to; hour++) if (hour < from - length || hour >= from) yield hour;
}

/** Returns the hours that enter or leave a window when the tip's hour changes. */
export function changedHours(from: number, to: number): Set<number> {
  const hours = new Set<number>();
  for (const length of [DAY_HOURS, MONTH_HOURS]) {
    for (const hour of entering(from, to, length)) hours.add(hour);
    for (const hour of entering(to, from, length)) hours.add(hour);
  }
  return hours;
}

interface Change {
  day: number;
  month: number;
  rate: bigint;
}

/** Moves the windows of all pools from the hour of the previous block to that of this one. */
export function movePoolWindows({ state, ...context }: BlockContext, previousTimestamp: number): void {
  const [from, to] = [hourOf(previousTimestamp), hourOf(context.timestamp)];
  if (from === to) return;
  const changes = new Map<Id, Change>();
  const count = (hours: Iterable<number>, length: number, sign: 1 | -1): void => {
    for (const hour of hours) {
      for (const [poolId, { blocks, rate }] of state.poolHours.at(hour)) {
        const change = changes.get(poolId) ?? { day: 0, month: 0, rate: 0n };
        changes.set(poolId, change);
        if (length === DAY_HOURS) change.day += sign * blocks;
        else {
          change.month += sign * blocks;
          change.rate += BigInt(sign) * rate;
        }
      }
    }
  };
  for (const length of [DAY_HOURS, MONTH_HOURS]) {
    count(entering(from, to, length), length, 1);
    count(entering(to, from, length), length, -1);
  }
  for (const [poolId, { day, month, rate }] of changes) {
    if (day === 0 && month === 0 && rate === 0n) continue;
    const pool = state.pools.get(poolId) ?? refuseBlock({ state, ...context }, `unknown pool ${poolId}`);
    state.pools.set(poolId, {
      ...pool,
      blocksDay: pool.blocksDay + day,
      blocksMonth: pool.blocksMonth + month,
      monthRate: pool.monthRate + rate,
    });
  }
}
