/** The errors of the API with their status. `causes-of-503.ts` makes those of status 503. */

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Seconds after which the client should retry. */
  readonly retryAfter: number | undefined;
  /** Fields of the body besides `error`. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    status: number,
    message: string,
    { retryAfter, details = {} }: { readonly retryAfter?: number; readonly details?: ApiError['details'] } = {},
  ) {
    // The error has no stack, because it is a response, and collecting the stack is most of the cost of a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
  }

  /** The body as JSON. */
  get body(): string {
    return JSON.stringify({ error: this.message, ...this.details });
  }
}

export const badRequest = (message: string) => new ApiError(400, message);
export const notFound = (message: string) => new ApiError(404, message);

/** Returns the value; throws the error 404 if it is undefined. */
export function requireFound<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw notFound(message);
  return value;
}
