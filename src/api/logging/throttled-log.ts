/** The log of the web server. A condition that lasts is logged in few lines, however many clients meet it. */
export interface ApiLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const INTERVAL_MS = 10_000;

type Level = 'warn' | 'error';

interface Held {
  count: number;
  error: unknown;
}

export class ThrottledLog {
  readonly #logger: ApiLogger;
  readonly #intervalMs: number;
  /** The events since the last line, by kind. */
  readonly #held = new Map<string, Held>();

  constructor(logger: ApiLogger, intervalMs = INTERVAL_MS) {
    this.#logger = logger;
    this.#intervalMs = intervalMs;
  }

  warn(kind: string, error: unknown, message: string): void {
    this.#note('warn', kind, error, message);
  }

  error(kind: string, error: unknown, message: string): void {
    this.#note('error', kind, error, message);
  }

  #note(level: Level, kind: string, error: unknown, message: string): void {
    const held = this.#held.get(kind);
    if (held) {
      held.count++;
      held.error = error;
      return;
    }
    this.#logger[level]({ err: error }, message);
    this.#hold(level, kind, message);
  }

  #hold(level: Level, kind: string, message: string): void {
    const held: Held = { count: 0, error: undefined };
    this.#held.set(kind, held);
    setTimeout(() => {
      this.#held.delete(kind);
      if (held.count === 0) return;
      this.#logger[level](
        { err: held.error, count: held.count, seconds: this.#intervalMs / 1_000 },
        `${message} It happened again; this is the last time.`,
      );
      this.#hold(level, kind, message);
    }, this.#intervalMs).unref();
  }
}
