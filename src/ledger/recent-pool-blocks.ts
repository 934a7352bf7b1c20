/**
 * The blocks that pools made in the last complete 24 and 720 UTC hours before the hour of the tip: everybody with the same
 * tip counts the same (docs/indexing-rules.md#stored-sums-and-counts). Hours are counted from the epoch.
 */
import { MONTH_HOURS } from '../chain/reward-rate-units.ts';
import type { Id } from '../chain/types.ts';
import type { BlockContext } from './block-context.ts';
import { refuse } from './block-context.ts';

export const HOUR_SECONDS = 3_600;
export const DAY_HOURS = 24;

export function hourOf(timestamp: number): number {
  return Math.floor(timestamp / HOUR_SECONDS);
}

/** Sums over a pool's blocks of an hour. */
export interface PoolHour {
  readonly blocks: number;
  /** Sum of the reward rates: see `Pool.monthRate`. */
  readonly rate: bigint;
}

type Hours = Map<number, Map<Id, PoolHour>>;

/**
 * The blocks of pools by hour, as far as windows need them: the stored ones from before the ledger's start, and those
 * applied since. The former never change, even while blocks are being committed.
 */
export class BlockHours {
  readonly #read: Hours = new Map();
  readonly #applied: Hours = new Map();
  /** Is there nothing before what was applied? */
  readonly #isWhole: boolean;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  isKnown(hour: number): boolean {
    return this.#isWhole || this.#read.has(hour);
  }

  /** Takes what was read of an hour. */
  load(hour: number, pools: ReadonlyMap<Id, PoolHour>): void {
    this.#read.set(hour, new Map(pools));
  }

  /** Adds a block that was applied. */
  add(hour: number, poolId: Id, rate: bigint): void {
    let pools = this.#applied.get(hour);
    if (pools === undefined) {
      pools = new Map();
      this.#applied.set(hour, pools);
    }
    const old = pools.get(poolId);
    pools.set(poolId, { blocks: (old?.blocks ?? 0) + 1, rate: (old?.rate ?? 0n) + rate });
  }

  /** Yields the sums of pools for an hour; a pool may come twice. Throws if the hour was not collected, which is a bug. */
  *at(hour: number): Generator<readonly [Id, PoolHour]> {
    if (!this.isKnown(hour)) throw new Error(`the blocks of the hour ${hour} were not collected before the batch`);
    for (const hours of [this.#read, this.#applied]) {
      const pools = hours.get(hour);
      if (pools !== undefined) yield* pools;
    }
  }

  /** Forgets what no window will need once the median time past has come to a time: no later block is from before it. */
  forgetBefore(medianTime: number): void {
    const oldest = hourOf(medianTime) - MONTH_HOURS;
    for (const hours of [this.#read, this.#applied]) {
      for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour);
    }
  }
}

/** The hours that are in a window of so many hours before `to`, and not in the one before `from`. */
function* entering(from: number, to: number, length: number): Generator<number> {
  for (let hour = to - length; hour < to; hour++) if (hour < from - length || hour >= from) yield hour;
}

/** The hours that the windows gain and lose when the tip's hour changes. */
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

/** Moves the windows of all pools from the hour of the tip before to that of the block. */
export function moveWindows({ state, ...context }: BlockContext, previousTimestamp: number): void {
  const [from, to] = [hourOf(previousTimestamp), hourOf(context.timestamp)];
  if (from === to) return;
  const changes = new Map<Id, Change>();
  const count = (hours: Iterable<number>, length: number, sign: 1 | -1): void => {
    for (const hour of hours) {
      for (const [poolId, { blocks, rate }] of state.hours.at(hour)) {
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
    const pool = state.pools.get(poolId) ?? refuse({ state, ...context }, `unknown pool ${poolId}`);
    state.pools.set(poolId, {
      ...pool,
      blocksDay: pool.blocksDay + day,
      blocksMonth: pool.blocksMonth + month,
      monthRate: pool.monthRate + rate,
    });
  }
}
