/** The index revision that a pool knows, and the callers that wait for a newer one. */
import { unavailable } from '../errors/unavailable.ts';

/** After the index moves, the pool is notified within some milliseconds. */
const LONGEST_WAIT_MS = 2_000;

export class RevisionTracker {
  readonly #waiting = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  #revision = -1;

  get revision(): number {
    return this.#revision;
  }

  /** It may be lower than the last one if the index was built again. */
  reach(revision: number): void {
    this.#revision = revision;
    for (const waiting of this.#waiting) {
      if (waiting.revision > revision) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  /** Throws the error 503 when it takes too long. */
  async reached(revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { revision, resolve };
    this.#waiting.add(waiting);
    const tooLate = () => reject(unavailable('pending behind index'));
    const timer = setTimeout(tooLate, LONGEST_WAIT_MS);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    }
  }
}
