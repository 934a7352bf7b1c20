/**
 * Counts the blocks that pools made in two windows: the 24 and the 720 complete UTC hours before the hour of the tip. So
 * all indexes with the same tip have the same counts (docs/indexing-rules.md#stored-sums-and-counts). Hours are counted
 * from the epoch.
 */
import { MONTH_HOURS } from '../chain/apy-constants.ts';
import { DAY_HOURS, hourOf } from '../chain/calendar.ts';
import type { Id } from '../chain/types.ts';
import type { BlockContext } from './block-context.ts';
import { refuseBlock } from './block-context.ts';

/** Sums over the blocks that a pool made in an hour. */
export interface PoolHour {
  readonly blocks: number;
  /** Sum of the reward rates: see `Pool.monthRate`. */
  readonly rate: bigint;
}

type Hours = Map<number, Map<Id, PoolHour>>;

/**
 * The blocks of pools by hour, as far as the windows need them: the stored blocks up to the height at which the state began,
 * and those applied since. The former never change, even while blocks are being committed.
 */
export class PoolBlockHours {
  readonly #read: Hours = new Map();
  readonly #applied: Hours = new Map();
  /** Did the state begin with the genesis? Then no block needs to be read. */
  readonly #isWhole: boolean;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  isKnown(hour: number): boolean {
    return this.#isWhole || this.#read.has(hour);
  }

  /** Adds the stored blocks of an hour. */
  load(hour: number, pools: ReadonlyMap<Id, PoolHour>): void {
    this.#read.set(hour, new Map(pools));
  }

  /** Adds an applied block. */
  add(hour: number, poolId: Id, rate: bigint): void {
    let pools = this.#applied.get(hour);
    if (pools === undefined) {
      pools = new Map();
      this.#applied.set(hour, pools);
    }
    const old = pools.get(poolId);
    pools.set(poolId, { blocks: (old?.blocks ?? 0) + 1, rate: (old?.rate ?? 0n) + rate });
  }

  /**
   * Yields the sums of the pools in an hour; a pool may come twice. Throws if the hour was not loaded, which is a bug.
   */
  *at(hour: number): Generator<readonly [Id, PoolHour]> {
    if (!this.isKnown(hour)) throw new Error(`the blocks of the hour ${hour} were not collected before the batch`);
    for (const hours of [this.#read, this.#applied]) {
      const pools = hours.get(hour);
      if (pools !== undefined) yield* pools;
    }
  }

  /**
   * Forgets the hours that no window will need any more: no later block has a timestamp before the median time past.
   */
  forgetBefore(medianTime: number): void {
    const oldest = hourOf(medianTime) - MONTH_HOURS;
    for (const hours of [this.#read, this.#applied]) {
      for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour);
    }
  }
}

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
