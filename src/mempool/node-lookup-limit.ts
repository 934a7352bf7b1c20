/** How often the node may be asked for ids that nobody knows. */
import type { Id } from '../chain/types.ts';

/** Lets each id through at most once per interval. */
const PAUSE_MS = 1_000;
/** All of them together, in a second. */
const MOST_PER_SECOND = 20;

export class NodeLookupLimit {
  /** When each was asked for within the last second, oldest first. */
  readonly #asked = new Map<Id, number>();
  /** Answers that are waited for. */
  readonly #underway = new Map<Id, Promise<void>>();
  readonly #now: () => number;

  /** `now`: milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Calls `ask` for an id unless that was done within the last second, or too many others were; resolves when it is
   * over, at once where nothing is asked. Whoever comes while the same is asked waits with the first. `ask` must not
   * reject.
   */
  async ask(id: Id, ask: () => Promise<void>): Promise<void> {
    const underway = this.#underway.get(id);
    if (underway !== undefined) return await underway;
    const now = this.#now();
    for (const [other, at] of this.#asked) {
      if (now - at < PAUSE_MS) break;
      this.#asked.delete(other);
    }
    if (this.#asked.has(id) || this.#asked.size >= MOST_PER_SECOND) return;
    this.#asked.set(id, now);
    const asking = ask().finally(() => this.#underway.delete(id));
    this.#underway.set(id, asking);
    await asking;
  }
}
