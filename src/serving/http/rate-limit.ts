/**
 * Limits the requests per second of each client, with bursts of one second. One number is kept per client: the time at
 * which all its requests so far would have been due at this rate.
 */

/** The maximum number of clients that are remembered: those with recent requests. */
const MAX_CLIENTS = 65_536;
/** The part that is kept when there is no room for more. */
const KEPT_PART = 0.75;

export class RateLimit {
  readonly #stepMs: number;
  readonly #burstMs: number;
  readonly #usedUntil = new Map<string, number>();

  constructor(requestsPerSecond: number) {
    this.#stepMs = 1_000 / requestsPerSecond;
    this.#burstMs = Math.max(1_000, this.#stepMs);
  }

  /** Counts a request. Returns 0 if it is within the limit, otherwise the whole seconds until the next one is. */
  count(client: string, now = performance.now()): number {
    const used = Math.max(this.#usedUntil.get(client) ?? 0, now) + this.#stepMs;
    const tooMuchMs = used - now - this.#burstMs;
    if (tooMuchMs > ROUNDING_MS) return Math.max(1, Math.ceil(tooMuchMs / 1_000));
    if (this.#usedUntil.size >= MAX_CLIENTS && !this.#usedUntil.has(client)) this.#forget(now);
    this.#usedUntil.set(client, used);
    return 0;
  }

  /**
   * Makes room. Clients with their full allowance are forgotten. If that is not enough, the oldest quarter is removed at
   * once, because scanning the map for each new client costs too much.
   */
  #forget(now: number): void {
    for (const [client, used] of this.#usedUntil) if (used <= now) this.#usedUntil.delete(client);
    for (const client of this.#usedUntil.keys()) {
      if (this.#usedUntil.size < MAX_CLIENTS * KEPT_PART) return;
      this.#usedUntil.delete(client);
    }
  }
}

/** Tolerance for the rounding of sums in floating point. */
const ROUNDING_MS = 1e-6;
