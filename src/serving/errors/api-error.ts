/** The errors of the API with their status. `causes-of-503.ts` makes those of status 503. */
import type { SnapshotTip } from '../../store/read/query.ts';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Seconds after which the client should retry. */
  readonly retryAfter: number | undefined;
  /** Fields of the body besides `error`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The snapshot that was read before; null if nothing was read, or if the caller knows it. */
  readonly tip: SnapshotTip | null;

  constructor(
    status: number,
    message: string,
    { retryAfter, details = {}, tip = null }: Partial<Pick<ApiError, 'retryAfter' | 'details' | 'tip'>> = {},
  ) {
    // The error has no stack, because it is a response, and collecting the stack is most of the cost of a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
    this.tip = tip;
  }

  /** The same error of a request for which this snapshot was read. */
  ofTip(tip: SnapshotTip): ApiError {
    return new ApiError(this.status, this.message, { retryAfter: this.retryAfter, details: this.details, tip });
  }

  /** The body as JSON. */
  get body(): string {
    return JSON.stringify({ error: this.message, ...this.details });
  }
}

export const badRequest = (message: string) => new ApiError(400, message);
export const notFound = (message: string, tip: SnapshotTip | null = null) => new ApiError(404, message, { tip });

/** Returns the value; throws the error 404 if it is undefined. */
export function requireFound<Value>(value: Value | undefined, message: string, tip: SnapshotTip | null = null): Value {
  if (value === undefined) throw notFound(message, tip);
  return value;
}
