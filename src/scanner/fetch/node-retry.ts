/** Retries requests to the node whose response was lost. */

import { type RetryOptions, withRetry } from '../../errors/retry.ts';
import type { NodeCallOptions } from '../../node/client.ts';
import { NodeError } from '../../node/node-error.ts';

/** One or two lost responses are normal. After the third the caller gets the error. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;

/**
 * Tries up to three times, with short pauses. Rejects with the last error, or at once with one that is not temporary.
 */
export function withThreeAttempts<T>(signal: AbortSignal, call: (options: NodeCallOptions) => Promise<T>): Promise<T> {
  return withRetry(() => call({ signal }), {
    signal,
    attempts: ATTEMPTS,
    firstMs: FIRST_PAUSE_MS,
    retryable: isTemporary,
  });
}

/**
 * Retries until there is a response, with growing pauses. It also retries when the node refuses the credentials, because a
 * restarted node has new ones.
 */
export function retryUntilAnswered<T>(
  signal: AbortSignal,
  call: (options: NodeCallOptions) => Promise<T>,
  onRetry: NonNullable<RetryOptions['onRetry']>,
): Promise<T> {
  return withRetry(() => call({ signal }), { signal, onRetry, retryable: maySucceedLater });
}

const isTemporary = (error: unknown) => error instanceof NodeError && error.retryable;

function maySucceedLater(error: unknown): boolean {
  return isTemporary(error) || (error instanceof NodeError && error.kind === 'unauthorized');
}
