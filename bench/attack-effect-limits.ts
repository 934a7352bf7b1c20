/** The limits for the effects of attacks on others, and the measured effects. */

import { percentile, sorted } from './report.ts';
import type { Sample } from './well-behaved-clients.ts';

/** The measures during the attacks of a seed, or during one attack. */
export interface AttackMeasures {
  /** The durations of others' small reads that began during the attack, sorted. */
  readonly smallMs: readonly number[];
  /** The durations of reads of an otherwise idle server. */
  readonly bareMs: readonly number[];
  /** The longest wait of the client that asks for batches, raw blocks and pages. */
  readonly longestLargeMs: number;
  /** The longest wait for the first event of a stream, on a new connection: it also waits for the connection. */
  readonly longestStreamMs: number;
  /** The number of others' responses by status, during the attack and after it; 0 stands for a broken connection. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The number of responses to the client of large reads that were not compressed as requested. */
  readonly uncompressed: number;
  readonly memoryBytes: number;
  readonly maxMemoryBytes: number;
  /** The most open files of the web server. */
  readonly openFiles: number;
  /** The time from the end of the attack until the server was normal; null if that was not seen. */
  readonly normalAfterMs: number | null;
  /** The web server ended. */
  readonly hasDied: boolean;
}

export interface Limits {
  readonly pooledP99Ms: number;
  readonly p99Ms: number;
  readonly largeMs: number;
  readonly normalAfterMs: number;
  readonly uncompressed: number;
}

/** The limits on an otherwise idle machine. */
export const LIMITS: Limits = { pooledP99Ms: 50, p99Ms: 150, largeMs: 1_000, normalAfterMs: 2_000, uncompressed: 0 };
/** A new stream may take this many times as long as a large read: connections wait in the kernel, in order of arrival. */
const STREAM_FACTOR = 5;
/** If the bare server's p99 is longer, the machine is too busy to measure on. */
export const MAX_BARE_P99_MS = 15;
/** The p99 of a bare server beside which the limits are as they are. */
const USUAL_BARE_P99_MS = 3;
/**
 * The slowdown by other work on a machine that even the bare server may not show: both processors are taken for a
 * moment.
 */
const SHARED_FACTOR = 2;

/** All limits, longer for a machine that others use as well: as much slower as its bare server is. */
export function limitsBeside(bareP99Ms: number): Limits {
  const factor = SHARED_FACTOR * Math.max(1, bareP99Ms / USUAL_BARE_P99_MS);
  return {
    pooledP99Ms: LIMITS.pooledP99Ms * factor,
    p99Ms: LIMITS.p99Ms * factor,
    largeMs: LIMITS.largeMs * factor,
    normalAfterMs: LIMITS.normalAfterMs * factor,
    // A response is sent uncompressed if it waits too long.
    uncompressed: Number.POSITIVE_INFINITY,
  };
}

export const MARKS = [
  'died',
  'p99',
  '429',
  '503',
  'statuses',
  'large reads',
  'streams',
  'uncompressed',
  'memory',
  'recovery',
] as const;
export type Mark = (typeof MARKS)[number];

/** The marks that a seed falls short of. Others' statuses are 200 on an undisturbed server. */
export function missedMarks(measures: AttackMeasures, limits: Limits): Mark[] {
  const { statuses, normalAfterMs } = measures;
  const isMissed: Readonly<Record<Mark, boolean>> = {
    died: measures.hasDied,
    p99: !(percentile(measures.smallMs, 0.99) <= limits.p99Ms),
    '429': (statuses[429] ?? 0) > 0,
    '503': (statuses[503] ?? 0) > 0,
    statuses: Object.keys(statuses).some((status) => !['200', '429', '503'].includes(status)),
    'large reads': !(measures.longestLargeMs <= limits.largeMs),
    streams: !(measures.longestStreamMs <= limits.largeMs * STREAM_FACTOR),
    uncompressed: measures.uncompressed > limits.uncompressed,
    memory: measures.memoryBytes > measures.maxMemoryBytes,
    recovery: normalAfterMs === null || normalAfterMs > limits.normalAfterMs,
  };
  return MARKS.filter((mark) => isMissed[mark]);
}

const WINDOW_MS = 250;
/** The part of a window's small reads that must be fast enough: a machine may stand still for a moment. */
const NORMAL_PART = 0.9;
/** A read that takes this many times as long as on the bare server is still normal, on a busy machine. */
const NORMAL_FACTOR = 5;

/**
 * Returns how long after a moment others were served normally again: from then on, every window of a quarter of a
 * second is normal. It compares their reads with those of a bare server's client, until `until`. Null if the last
 * window is not normal.
 */
export function normalAfter(
  seen: { readonly small: readonly Sample[]; readonly bare: readonly Sample[] },
  since: number,
  until: number,
): number | null {
  const windows = Math.floor((until - since) / WINDOW_MS);
  let normal = 0;
  for (let n = windows - 1; n >= 0; n--, normal++) {
    const begin = since + n * WINDOW_MS;
    const inside = (samples: readonly Sample[]) => samples.filter(({ at }) => at >= begin && at < begin + WINDOW_MS);
    const slowest = (samples: readonly Sample[]) => percentile(sorted(samples.map(({ ms }) => ms)), NORMAL_PART);
    const small = inside(seen.small);
    const bareMs = slowest(inside(seen.bare)) || 0;
    if (!(slowest(small) <= Math.max(LIMITS.pooledP99Ms, bareMs * NORMAL_FACTOR))) break;
    if (small.some(({ status }) => status !== 200 && status !== null)) break;
  }
  return normal === 0 ? null : (windows - normal) * WINDOW_MS;
}
