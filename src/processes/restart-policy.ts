/** Determines the pause before a process that failed is restarted. */
import { type Backoff, backoffPause } from '../errors/backoff.ts';

const PAUSES: Backoff = { firstMs: 500, maxMs: 30_000 };
/** After this run time, the next failure counts as a first one. */
const WELL_AFTER_MS = 60_000;

/** Counts failures in a row. The pause doubles with each, up to a limit. */
export class RestartPolicy {
  readonly #pauses: Backoff;
  #failures = 0;

  constructor(pauses: Backoff = PAUSES) {
    this.#pauses = pauses;
  }

  /** Returns the pause before a restart. `livedMs`: how long the failed process ran. Both are in milliseconds. */
  pauseAfter(livedMs: number): number {
    this.#failures = livedMs > WELL_AFTER_MS ? 1 : this.#failures + 1;
    return backoffPause(this.#pauses, this.#failures);
  }
}
