/** Questions to the node that are asked again when the answer goes missing. */
import type { CallOptions } from '../../node/client.ts';
import { NodeError } from '../../node/node-error.ts';
import { type RetryOptions, withRetry } from '../../node/retry.ts';

/** A lost answer or two are nobody's concern; more of them the caller should know of. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;

/** Asks up to three times within half a second. Rejects with the last failure. */
export function withNodeRetry<T>(signal: AbortSignal, call: (options: CallOptions) => Promise<T>): Promise<T> {
  return withRetry(() => call({ signal }), { signal, attempts: ATTEMPTS, firstMs: FIRST_PAUSE_MS });
}

/** Asks until there is an answer, with growing pauses; refused credentials may be right again when the node restarts. */
export function retryUntilAnswered<T>(
  signal: AbortSignal,
  call: (options: CallOptions) => Promise<T>,
  onRetry: NonNullable<RetryOptions['onRetry']>,
): Promise<T> {
  return withRetry(() => call({ signal }), { signal, onRetry, retryable: maySucceedLater });
}

function maySucceedLater(error: unknown): boolean {
  return error instanceof NodeError && (error.retryable || error.kind === 'unauthorized');
}
