/**
 * A number of requests per second for each client, with bursts of one second. One number is kept per client: the time
 * at which all of its requests so far would have been due at the rate.
 */

/** Maximum number of clients that are remembered: those with recent requests. */
const MAX_CLIENTS = 65_536;
/** What stays of them when there is no room for more. */
const KEPT_PART = 0.75;

export class RateLimit {
  readonly #stepMs: number;
  readonly #burstMs: number;
  readonly #usedUntil = new Map<string, number>();

  constructor(requestsPerSecond: number) {
    this.#stepMs = 1_000 / requestsPerSecond;
    this.#burstMs = Math.max(1_000, this.#stepMs);
  }

  /** Counts a request. Gives 0 when it may be answered, otherwise the whole seconds after which one may be. */
  count(client: string, now = performance.now()): number {
    const used = Math.max(this.#usedUntil.get(client) ?? 0, now) + this.#stepMs;
    const tooMuchMs = used - now - this.#burstMs;
    if (tooMuchMs > ROUNDING_MS) return Math.max(1, Math.ceil(tooMuchMs / 1_000));
    if (this.#usedUntil.size >= MAX_CLIENTS && !this.#usedUntil.has(client)) this.#forget(now);
    this.#usedUntil.set(client, used);
    return 0;
  }

  /**
   * Makes room. Who may ask as much as one who never has need not be remembered; when nearly all others do, the oldest
   * go, many at once: to look through all of them for each new one would cost more than what is limited.
   */
  #forget(now: number): void {
    for (const [client, used] of this.#usedUntil) if (used <= now) this.#usedUntil.delete(client);
    for (const client of this.#usedUntil.keys()) {
      if (this.#usedUntil.size < MAX_CLIENTS * KEPT_PART) return;
      this.#usedUntil.delete(client);
    }
  }
}

/** Steps are added up in floating point. */
const ROUNDING_MS = 1e-6;
