/**
 * When simulated blocks are made. A block with proof of stake is later than its parent: docs/protocol.md#blocks.
 */

import { DAY_SECONDS } from '../../chain/calendar.ts';
import { TARGET_BLOCK_SECONDS } from '../../chain/networks/network.ts';
import type { Random } from './random.ts';

/** The block that the next one follows. */
interface ParentBlock {
  readonly height: number;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/**
 * Returns the timestamp of the next block, above its parent's. `blocks`: the number of blocks that are made at once, of which
 * this is the first. It is above 1 in a branch that replaces other blocks.
 */
export type BlockTimes = (parent: ParentBlock, blocks: number, random: Random) => number;

/** The seconds from a block to the next one: minimum and maximum. */
export interface BlockInterval {
  readonly from: number;
  readonly to: number;
}

const USUAL_SECONDS: BlockInterval = { from: 30, to: 210 };
/** The past of a chain that ends now has at least this length, however few its blocks are. */
const PAST_SECONDS = 30 * DAY_SECONDS;

/** Blocks follow each other as on a network, from the genesis on. */
export function usualTimes({ from, to }: BlockInterval = USUAL_SECONDS): BlockTimes {
  return ({ timestamp }, _, random) => timestamp + random.between(from, to);
}

/** Blocks follow each other after a whole number of seconds. */
export function evenBlockTimes(seconds: number): BlockTimes {
  return ({ timestamp }) => timestamp + Math.max(1, seconds);
}

interface PastTimes {
  /** The height of the last block of the past. */
  readonly blocks: number;
  /** The time of that block, seconds since the epoch. */
  readonly end: number;
  /** The times of the blocks above it. */
  readonly later: BlockTimes;
}

/**
 * The past of a chain: 30 days that end with a block at `end`, or longer where blocks would otherwise come faster than on a
 * network. Between the genesis, or the blocks of an old chain, and the past there may be years without a block.
 */
export function pastTimes({ blocks, end, later }: PastTimes): BlockTimes {
  const begin = end - Math.max(PAST_SECONDS, blocks * TARGET_BLOCK_SECONDS);
  return (parent, atOnce, random) => {
    const left = blocks - parent.height;
    if (left <= 0) return later(parent, atOnce, random);
    const earliest = parent.timestamp + 1;
    if (left === 1) return Math.max(earliest, end);
    if (parent.timestamp < begin) return begin;
    // Uniform around the mean. Each of the other blocks has at least a second left.
    const mean = Math.floor((end - parent.timestamp) / left);
    return parent.timestamp + random.between(1, Math.max(1, 2 * mean - 1));
  };
}

/** How fast the weight of a block falls with the seconds after its parent. */
const WEIGHT_DECAY_SECONDS = 100;
/** Above the errors of sums of weights. */
const ROUNDING = 1e-6;

/**
 * Returns what a block weighs that comes so many seconds after its parent, 0 … 1. Of two branches a node takes the one whose
 * blocks weigh more together, so a branch with fewer blocks can win if they come faster. Targets do not matter.
 */
export function forkChoiceWeight(seconds: number): number {
  return Math.exp(-seconds / WEIGHT_DECAY_SECONDS);
}

/** Returns the least number of blocks that can weigh more than `weight`. */
export function minBranchLength(weight: number): number {
  return Math.floor(weight / forkChoiceWeight(1) + ROUNDING) + 1;
}

/** The blocks of one branch come at `times`, but as early as they must to weigh more than `weight`, where that is possible. */
export function timesOfHeavierBranch(times: BlockTimes, weight: number): BlockTimes {
  let missing = weight;
  return (parent, blocks, random) => {
    const drawn = times(parent, blocks, random) - parent.timestamp;
    // The later blocks may all come after a second.
    const least = missing - (blocks - 1) * forkChoiceWeight(1);
    const latest = least <= 0 ? drawn : Math.ceil(-WEIGHT_DECAY_SECONDS * Math.log(least) - ROUNDING) - 1;
    const seconds = Math.max(1, Math.min(drawn, latest));
    missing -= forkChoiceWeight(seconds);
    return parent.timestamp + seconds;
  };
}

/** The clock of a chain that grows now: a block that is being built has the time at which it is due. */
export class BlockClock {
  #dueMs = 0;

  /** The block that is begun next will be due in this time. */
  expectIn(milliseconds: number): void {
    this.#dueMs = Date.now() + milliseconds;
  }

  /** Blocks that come at once share the time since their parent. Blocks that come faster than every second run ahead. */
  readonly times: BlockTimes = ({ timestamp }, blocks) => {
    const due = Math.floor(Math.max(Date.now(), this.#dueMs) / 1_000);
    return timestamp + Math.max(1, Math.floor((due - timestamp) / blocks));
  };
}

/** The time at which the past of a simulated chain ends: the clock's, or seconds since the epoch. */
export type StartTime = 'now' | number;

/**
 * The times of a chain whose past ends at `start`. At a given time the same seed makes the same chain, also of the blocks that
 * come later, one each `blockIntervalMs`. The clock is null then.
 */
export function blockTimesFrom(
  start: StartTime,
  blocks: number,
  blockIntervalMs: number,
): { readonly times: BlockTimes; readonly clock: BlockClock | null } {
  if (start !== 'now') {
    const later = blockIntervalMs === 0 ? usualTimes() : evenBlockTimes(Math.round(blockIntervalMs / 1_000));
    return { times: pastTimes({ blocks, end: start, later }), clock: null };
  }
  const clock = new BlockClock();
  return { times: pastTimes({ blocks, end: Math.floor(Date.now() / 1_000), later: clock.times }), clock };
}
