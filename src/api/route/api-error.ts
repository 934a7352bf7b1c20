import type { SnapshotTip } from '../../store/read/batched-query.ts';

/** What a client is told instead of an answer: `{"error": message}` with a status (docs/api.md#errors). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;
  /** The snapshot that says so, where one was read. */
  readonly tip: SnapshotTip | undefined;

  /** What the body says besides `error`. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    status: number,
    message: string,
    retryAfter?: number,
    tip?: SnapshotTip,
    details: Readonly<Record<string, string | number>> = {},
  ) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
    this.tip = tip;
    this.details = details;
  }

  /** As JSON. */
  get body(): string {
    return JSON.stringify({ error: this.message, ...this.details });
  }
}

export const badRequest = (message: string) => new ApiError(400, message);
export const notFound = (message: string, tip?: SnapshotTip) => new ApiError(404, message, undefined, tip);
export const unavailable = (message: string) => new ApiError(503, message, 1);
