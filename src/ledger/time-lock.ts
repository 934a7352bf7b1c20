/** Time locks (docs/indexing-rules.md#time-locks-and-median-time-past). */
import type { TimeLock } from '../chain/types.ts';

/** The end of a lock: a height, or a median time past. */
export type LockEnd =
  | { readonly height: number; readonly time: null }
  | { readonly height: null; readonly time: number };

/** Returns the end of the lock of an output created by a block at `height` with `timestamp`. */
export function lockEnd(lock: TimeLock, height: number, timestamp: number): LockEnd {
  switch (lock.type) {
    case 'UntilHeight':
      return { height: bounded(lock.value), time: null };
    case 'UntilTime':
      return { height: null, time: bounded(lock.value) };
    case 'ForBlockCount':
      return { height: bounded(lock.value + BigInt(height)), time: null };
    case 'ForSeconds':
      return { height: null, time: bounded(lock.value + BigInt(timestamp)) };
  }
}

/** Has a lock ended in the block at `height`, whose median time past (itself included) is `median`? */
export function hasLockEnded(end: LockEnd, height: number, median: number): boolean {
  return end.height !== null ? height >= end.height : median >= end.time;
}

/** Limits a lock to 2^53 − 1 blocks or seconds, which are never reached. */
function bounded(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
