/** The pauses between attempts at what failed, in milliseconds: doubling from `firstMs` up to `maxMs`. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The pause after failure number `failures` (1, 2, …). */
export function backoffPause({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
