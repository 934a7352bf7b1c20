/** The blocks that pools made, by the UTC hour of their timestamps, as far as the windows of `pool-block-windows.ts` need them. */

import { MONTH_SECONDS } from '../chain/apr-units.ts';
import { hourOf } from '../chain/calendar.ts';
import type { Id } from '../chain/types.ts';

/** A block that a pool made. */
export interface PoolBlock {
  readonly timestamp: number;
  readonly poolId: Id;
  /** The reward rate: see `Pool.monthRate`. */
  readonly rate: bigint;
}

type Hours = Map<number, PoolBlock[]>;

/**
 * The blocks of pools by hour, as far as the windows need them: the stored blocks up to the height at which the state began,
 * and those applied since. The former never change, even while blocks are being committed.
 */
export class RecentPoolBlocks {
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
  load(hour: number, blocks: readonly PoolBlock[]): void {
    this.#read.set(hour, [...blocks]);
  }

  /** Adds an applied block. */
  add(block: PoolBlock): void {
    const hour = hourOf(block.timestamp);
    const blocks = this.#applied.get(hour);
    if (blocks === undefined) this.#applied.set(hour, [block]);
    else blocks.push(block);
  }

  /** Yields the blocks of an hour. Throws if the hour was not loaded, which is a bug. */
  *at(hour: number): Generator<PoolBlock> {
    if (!this.isKnown(hour)) throw new Error(`the blocks of the hour ${hour} were not collected before the batch`);
    for (const hours of [this.#read, this.#applied]) yield* hours.get(hour) ?? [];
  }

  /** Forgets the hours that no window of a tip from this time on needs. */
  forgetBefore(time: number): void {
    const oldest = hourOf(time - MONTH_SECONDS);
    for (const hours of [this.#read, this.#applied]) {
      for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour);
    }
  }
}
