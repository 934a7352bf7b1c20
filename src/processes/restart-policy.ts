/** Decides when a failed process is restarted. */
import { type Backoff, backoffPause } from '../errors/backoff.ts';

const PAUSES: Backoff = { firstMs: 500, maxMs: 30_000 };
/** After this run time, the next failure counts as a first one. */
const WELL_AFTER_MS = 60_000;

/** Counts failures in a row; the pause doubles with each. */
export class RestartPolicy {
  readonly #pauses: Backoff;
  #failures = 0;

  constructor(pauses: Backoff = PAUSES) {
    this.#pauses = pauses;
  }

  /** The pause before a restart, by how long the failed process had lived; both in milliseconds. */
  pauseAfter(livedMs: number): number {
    this.#failures = livedMs > WELL_AFTER_MS ? 1 : this.#failures + 1;
    return backoffPause(this.#pauses, this.#failures);
  }
}
