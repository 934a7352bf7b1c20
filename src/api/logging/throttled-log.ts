/**
 * Log lines for conditions that may affect every request: the first one is written at once, further ones of its kind
 * within ten seconds become one line with the count. So the log stays short however many clients there are.
 */
import type { ApiLogger } from './logger-interface.ts';

const INTERVAL_MS = 10_000;

type Level = 'warn' | 'error';

interface Held {
  count: number;
  error: unknown;
}

export class ThrottledLog {
  readonly #logger: ApiLogger;
  readonly #intervalMs: number;
  /** By kind: what has come since the last line. */
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
