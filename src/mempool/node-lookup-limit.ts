/** Limits how often the node is asked for unknown ids. */
import type { Id } from '../chain/types.ts';

/** The interval of the limits. Each id is looked up at most once per interval. */
const INTERVAL_MS = 1_000;
/** The most lookups per interval: of all clients, and of one client. */
const MAX_LOOKUPS = 20;
const MAX_LOOKUPS_PER_CLIENT = 5;

interface Lookup<T> {
  readonly client: string;
  readonly at: number;
  readonly result: Promise<T>;
  hasEnded: boolean;
}

export class NodeLookupLimit<T> {
  /** The lookups of the last second, and those in progress. */
  readonly #lookups = new Map<Id, Lookup<T>>();
  readonly #now: () => number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns the result of a call of `ask` for this id: of a new call, or of one within the last second. Null if the client,
   * or all clients together, have asked too often. `ask` must not reject.
   */
  ask(id: Id, client: string, ask: () => Promise<T>): Promise<T> | null {
    const now = this.#now();
    let ofClient = 0;
    for (const [other, lookup] of this.#lookups) {
      if (lookup.hasEnded && now - lookup.at >= INTERVAL_MS) this.#lookups.delete(other);
      else if (lookup.client === client) ofClient++;
    }
    const known = this.#lookups.get(id);
    if (known !== undefined) return known.result;
    if (this.#lookups.size >= MAX_LOOKUPS || ofClient >= MAX_LOOKUPS_PER_CLIENT) return null;
    const lookup: Lookup<T> = { client, at: now, result: ask(), hasEnded: false };
    this.#lookups.set(id, lookup);
    void lookup.result.then(() => {
      lookup.hasEnded = true;
    });
    return lookup.result;
  }
}
