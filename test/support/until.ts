/**
 * Waits for conditions by checking them repeatedly, less often the longer it takes: many checks open a connection or read a
 * page. A failure says what was awaited.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly withinMs?: number;
  /** Explains a failure, in addition to the error's own text. */
  readonly explain?: () => string;
}

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** The part of the wait so far that a pause takes. */
const PAUSE_PART = 1 / 20;

/** Waits until `look` returns a value, and returns it. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  { withinMs = 120_000, explain = () => '' }: Patience = {},
): Promise<T> {
  for (const since = performance.now(); ; ) {
    const found = await look();
    if (found !== undefined) return found;
    const waitedMs = performance.now() - since;
    if (waitedMs > withinMs) assert.fail(`in vain for ${withinMs} ms: ${what}\n${explain()}`);
    await sleep(Math.min(Math.max(waitedMs * PAUSE_PART, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
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
