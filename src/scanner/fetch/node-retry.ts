/** Retries requests to the node whose response was lost. */
import type { NodeCallOptions } from '../../node/client.ts';
import { NodeError } from '../../node/node-error.ts';
import { type RetryOptions, withRetry } from '../../node/retry.ts';

/** One or two lost responses are normal. After the third the caller gets the error. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;

/**
 * Tries up to three times, with short pauses. Rejects with the last error, or at once with one that is not temporary.
 */
export function withThreeAttempts<T>(signal: AbortSignal, call: (options: NodeCallOptions) => Promise<T>): Promise<T> {
  return withRetry(() => call({ signal }), { signal, attempts: ATTEMPTS, firstMs: FIRST_PAUSE_MS });
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

function maySucceedLater(error: unknown): boolean {
  return error instanceof NodeError && (error.retryable || error.kind === 'unauthorized');
}
