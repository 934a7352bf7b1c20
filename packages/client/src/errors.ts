/** The errors of the client. */

/** The server has refused a request. `message` is the field `error` of its body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status: 400 for a mistake, 404 if there is no such thing, 429 and 503 for what may work later. */
  readonly status: number;
  /** The parsed body, such as `{ error, dropped_at }`; undefined if it is no JSON. */
  readonly body: unknown;
  /** The seconds after which to try again; undefined if the server does not say. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, body: unknown, retryAfter: number | undefined) {
    super(message);
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** The server could not be reached, or its response broke off. `cause` is the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(url: string, cause: unknown) {
    super(`${url}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
