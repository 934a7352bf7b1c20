/** A condition that lasts, such as a node that is silent: a line when it begins, one each minute, and one when it ends. */

/** Pino's loggers fit. */
interface ConditionLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

const REMINDER_MS = 60_000;

export class LastingCondition {
  logger: ConditionLogger;
  readonly #texts: { readonly holds: string; readonly ended: string };
  #since: number | null = null;
  #loggedAt = 0;
  #kind = '';

  /** `holds` and `ended`: the messages while it lasts and at its end. */
  constructor(logger: ConditionLogger, texts: { readonly holds: string; readonly ended: string }) {
    this.logger = logger;
    this.#texts = texts;
  }

  /**
   * To be called whenever it is met, also again and again: there is no timer. A reminder has the seconds since the beginning.
   * A change of its `kind` is logged at once.
   */
  holds(fields: object, kind = '', level: 'warn' | 'info' = 'warn'): void {
    const now = performance.now();
    const isNew = this.#since === null || kind !== this.#kind;
    if (!isNew && now - this.#loggedAt < REMINDER_MS) return;
    this.#loggedAt = now;
    this.#kind = kind;
    this.logger[level]({ ...fields, ...this.#seconds(now) }, this.#texts.holds);
    this.#since ??= now;
  }

  /** To be called whenever it is seen not to hold. */
  ended(fields: object = {}): void {
    if (this.#since === null) return;
    this.logger.info({ ...fields, ...this.#seconds(performance.now()) }, this.#texts.ended);
    this.#since = null;
  }

  #seconds(now: number): { readonly seconds?: number } {
    return this.#since === null ? {} : { seconds: Math.round((now - this.#since) / 1_000) };
  }
}
