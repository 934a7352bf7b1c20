/** When a failed process is restarted. */
import { growingPause, type Pauses } from '../errors/backoff.ts';

const PAUSES: Pauses = { firstMs: 500, longestMs: 30_000 };
/** What ran this long was well: its next failure is a first one again. */
const WELL_AFTER_MS = 60_000;

/** Counts failures in a row; the pause doubles with each. */
export class Restarts {
  readonly #pauses: Pauses;
  #failures = 0;

  constructor(pauses: Pauses = PAUSES) {
    this.#pauses = pauses;
  }

  /** The pause before a restart, by how long the failed process had lived; both in milliseconds. */
  pauseAfter(livedMs: number): number {
    this.#failures = livedMs > WELL_AFTER_MS ? 1 : this.#failures + 1;
    return growingPause(this.#pauses, this.#failures);
  }
}
