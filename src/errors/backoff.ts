/** The pauses between attempts at what failed, in milliseconds: doubling from `firstMs` up to `longestMs`. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause after failure number `failures` (1, 2, …). */
export function backoffPause({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
