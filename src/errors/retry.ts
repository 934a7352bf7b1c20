/** Repeats calls that may fail, with pauses that grow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffPause } from './backoff.ts';

export const DEFAULT_RETRY_PAUSES: Backoff = { firstMs: 250, maxMs: 15_000 };

export interface RetryOptions extends Partial<Backoff> {
  /** Ends the waiting: `withRetry` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum number of calls; unlimited by default. */
  readonly attempts?: number;
  /** Called for each failure that is followed by another attempt. */
  readonly onRetry?: (error: unknown, attempt: number, pauseMs: number) => void;
  /** Is a failure temporary? */
  readonly retryable: (error: unknown) => boolean;
}

/**
 * Returns the pause after failure number `failures` (1, 2, …): half of it is fixed, half random, so that clients spread
 * out.
 */
export function jitteredBackoffPause(failures: number, pauses: Backoff = DEFAULT_RETRY_PAUSES): number {
  const full = backoffPause(pauses, failures);
  return full / 2 + (full / 2) * Math.random();
}

/** Calls `call` until it succeeds, with growing pauses. Rejects with the first failure that is not temporary. */
export async function withRetry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, attempts = Number.POSITIVE_INFINITY, onRetry, retryable } = options;
  const pauses = { ...DEFAULT_RETRY_PAUSES, ...options };
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt >= attempts || !retryable(error)) throw error;
      const pauseMs = jitteredBackoffPause(attempt, pauses);
      onRetry?.(error, attempt, pauseMs);
      await pause(pauseMs, signal);
    }
  }
}

/** Waits. Rejects with the signal's reason if it is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** The pauses of a task. Others end them when something has changed that the task must see. */
export class InterruptiblePause {
  #isEnded = false;
  #wake = () => {};

  /** Waits until `ms` have passed or `end` is called; not at all if it was called since the last pause. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isEnded) this.#wake();
    });
    this.#isEnded = false;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }
}
