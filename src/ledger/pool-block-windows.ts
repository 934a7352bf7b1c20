/**
 * Moves the two windows in which the blocks of pools are counted: 24 and 720 hours that end with the tip's timestamp. So all
 * indexes with the same tip have the same counts (docs/indexing-rules.md#stored-sums-and-counts).
 */

import { MONTH_SECONDS } from '../chain/apr-units.ts';
import { DAY_SECONDS, hourOf } from '../chain/calendar.ts';
import type { Id } from '../chain/types.ts';
import { type BlockContext, refuseBlock } from './block-context.ts';

const WINDOWS = [DAY_SECONDS, MONTH_SECONDS] as const;

/** The times that are in a window which ends at `to`, but not in that which ends at `from`: above `after`, at most `last`. */
function entering(from: number, to: number, length: number): { readonly after: number; readonly last: number } {
  return from <= to
    ? { after: Math.max(from, to - length), last: to }
    : { after: to - length, last: Math.min(to, from - length) };
}

function* hoursOf({ after, last }: { readonly after: number; readonly last: number }): Generator<number> {
  for (let hour = hourOf(after + 1); hour <= hourOf(last); hour++) yield hour;
}

/** Returns the hours with blocks that may enter or leave a window when the tip's timestamp changes. */
export function hoursEnteringOrLeaving(from: number, to: number): Set<number> {
  return new Set(
    WINDOWS.flatMap((length) => [...hoursOf(entering(from, to, length)), ...hoursOf(entering(to, from, length))]),
  );
}

interface Change {
  day: number;
  month: number;
  rate: bigint;
}

/** Moves the windows of all pools from the timestamp of the previous block to that of this one, which is not counted yet. */
export function movePoolWindows({ state, ...context }: BlockContext, from: number): void {
  const to = context.timestamp;
  const changes = new Map<Id, Change>();
  const count = (times: ReturnType<typeof entering>, length: number, sign: 1 | -1): void => {
    for (const hour of hoursOf(times)) {
      for (const { timestamp, poolId, rate } of state.poolBlocks.at(hour)) {
        if (timestamp <= times.after || timestamp > times.last) continue;
        const change = changes.get(poolId) ?? { day: 0, month: 0, rate: 0n };
        changes.set(poolId, change);
        if (length === DAY_SECONDS) change.day += sign;
        else {
          change.month += sign;
          change.rate += BigInt(sign) * rate;
        }
      }
    }
  };
  for (const length of WINDOWS) {
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
