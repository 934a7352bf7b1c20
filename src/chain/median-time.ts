/** The median time past (docs/indexing-rules.md#time-locks-and-median-time-past). */
import { MEDIAN_TIME_SPAN } from './networks/network.ts';

/** Returns the median of the newest 11 timestamps (fewer near the genesis), in seconds; given oldest first. */
export function medianTime(timestamps: readonly number[]): number {
  const newest = timestamps.slice(-MEDIAN_TIME_SPAN).sort((a, b) => a - b);
  return newest[Math.floor(newest.length / 2)] ?? 0;
}

/** Returns the timestamps from which the next median is computed, oldest first, after a block with this `timestamp`. */
export function nextTimestamps(timestamps: readonly number[], timestamp: number): readonly number[] {
  return [...timestamps, timestamp].slice(-MEDIAN_TIME_SPAN);
}
