import { RepeatedLines } from '../../errors/repeated-log-lines.ts';

/** The log of the web server. A condition that lasts is logged in few lines, however many clients meet it. */
export interface ApiLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const INTERVAL_MS = 10_000;

/** Logs events that may come with each request: one of a kind in ten seconds, with the `count` of those since the last. */
export class ThrottledLog {
  readonly #logger: ApiLogger;
  readonly #repeated: RepeatedLines;

  constructor(logger: ApiLogger, intervalMs = INTERVAL_MS) {
    this.#logger = logger;
    this.#repeated = new RepeatedLines(intervalMs);
  }

  warn(kind: string, error: unknown, message: string): void {
    this.#log('warn', kind, error, message);
  }

  error(kind: string, error: unknown, message: string): void {
    this.#log('error', kind, error, message);
  }

  #log(level: 'warn' | 'error', kind: string, err: unknown, message: string): void {
    const count = this.#repeated.take(kind);
    if (count !== null) this.#logger[level]({ err, ...(count > 0 && { count }) }, message);
  }
}
