import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Acts each `intervalMs` (0: without a pause) until an action says that it was the last one, by false, or `signal` is
 * aborted.
 */
export async function atIntervals(
  intervalMs: number,
  signal: AbortSignal | undefined,
  act: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let due = performance.now(); !signal?.aborted; ) {
    if (intervalMs > 0) {
      // Due times, not pauses: what is done in between must not slow the chain down.
      due = Math.max(due + intervalMs, performance.now() - intervalMs);
      const pauseMs = Math.max(0, due - performance.now());
      await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      if (signal?.aborted) return;
    }
    if (!(await act())) return;
  }
}
