/** Waits for conditions by checking them repeatedly. A failure says what was awaited. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly withinMs?: number;
  readonly pauseMs?: number;
  /** Explains a failure, in addition to the error's own text. */
  readonly explain?: () => string;
}

/** Waits until `look` returns a value, and returns it. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  { withinMs = 120_000, pauseMs = 5, explain = () => '' }: Patience = {},
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await sleep(pauseMs)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) assert.fail(`in vain for ${withinMs} ms: ${what}\n${explain()}`);
  }
}

/** Waits until it is so. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  patience: Patience = {},
): Promise<void> {
  await eventually(what, async () => ((await condition()) ? true : undefined), patience);
}

/**
 * Repeats `act` until it takes less than `ms` once. On a busy machine anything may take long now and then, but what waits
 * for something else always does.
 */
export function takesLessThan(ms: number, what: string, act: () => Promise<unknown>): Promise<void> {
  const isQuick = async () => {
    const since = performance.now();
    await act();
    return performance.now() - since < ms;
  };
  return until(isQuick, `${what} within ${ms} ms`);
}
