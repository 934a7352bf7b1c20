/** The blocks that pools made in each hour, counted from the epoch, as far as the windows of `pool-windows.ts` need them. */
import { MONTH_HOURS } from '../chain/apy-constants.ts';
import { hourOf } from '../chain/calendar.ts';
import type { Id } from '../chain/types.ts';

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
