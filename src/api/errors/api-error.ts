/** An error response: `{"error": message}` with a status. */

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** Fields of the body besides `error`. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    status: number,
    message: string,
    { retryAfter, details = {} }: { readonly retryAfter?: number; readonly details?: ApiError['details'] } = {},
  ) {
    // Without its stack: it is a response, not a fault, and gathering the stack is most of what a refusal costs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
  }

  /** As JSON. */
  get body(): string {
    return JSON.stringify({ error: this.message, ...this.details });
  }
}

export const badRequest = (message: string) => new ApiError(400, message);
export const notFound = (message: string) => new ApiError(404, message);

export class SnapshotChanged extends Error {
  override readonly name = 'SnapshotChanged';

  constructor() {
    super('the tip changed between two queries');
  }
}
