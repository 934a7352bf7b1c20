/** The mean time between the newest blocks. */
import { HOUR_SECONDS } from '../chain/calendar.ts';
import { BLOCK_LIST, type ListedBlockRow } from '../store/queries/blocks/block-lists.ts';
import type { QueryRunner } from '../store/read/query.ts';

/** The newest blocks that are counted. */
const PACE_BLOCKS = 60;
/** With fewer in the last hour, chance would decide. */
const ENOUGH_BLOCKS = 10;

/** No block takes so many times the median by chance: the chain paused. */
const PAUSE = 20;

export const readNewestBlocks = (store: QueryRunner) => BLOCK_LIST.read(store, { after: null, limit: PACE_BLOCKS });

/** The last hour's blocks if these are enough; otherwise all. */
export function recentBlocks(all: readonly ListedBlockRow[]): readonly ListedBlockRow[] {
  const ofLastHour = all.filter(({ timestamp }) => all[0]!.timestamp - timestamp <= HOUR_SECONDS);
  return ofLastHour.length >= ENOUGH_BLOCKS ? ofLastHour : all;
}

/** The mean time between blocks, newest first, without {@link PAUSE pauses}; null for fewer than two. */
export function meanSeconds(blocks: readonly ListedBlockRow[]): number | null {
  const times = blocks.slice(1).map(({ timestamp }, i) => blocks[i]!.timestamp - timestamp);
  const median = medianOf(times);
  if (median === undefined) return null;
  const counted = median > 0 ? times.filter((time) => time <= PAUSE * median) : times;
  return Math.max(0, counted.reduce((sum, time) => sum + time, 0) / counted.length);
}

const medianOf = (numbers: readonly number[]): number | undefined =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
