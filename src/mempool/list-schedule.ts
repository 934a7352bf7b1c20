/** When the node is asked for its whole list. Times are milliseconds of a clock that is never set. */

export interface ListPauses {
  /** Between two lists at least; ten times as long as the last one took, if that is more. */
  readonly listPauseMs: number;
  /** How often a list is tried that was too long for the node. */
  readonly longListPauseMs: number;
}

export class ListSchedule {
  readonly #pauses: ListPauses;
  #wantedAt = 0;
  #notBefore = 0;
  #listedAt = 0;

  constructor(pauses: ListPauses) {
    this.#pauses = pauses;
  }

  get at(): number {
    return Math.max(this.#wantedAt, this.#notBefore);
  }

  /** At that time at the latest, as far as the pauses allow it. */
  wantBy(at: number): void {
    this.#wantedAt = Math.min(this.#wantedAt, at);
  }

  /** A wish for a list that comes from here on is one for the next. */
  begin(): void {
    this.#wantedAt = Number.POSITIVE_INFINITY;
  }

  listed(begunAt: number, now: number): void {
    this.#listedAt = now;
    this.#notBefore = now + Math.max(this.#pauses.listPauseMs, 10 * (now - begunAt));
  }

  tooLong(now: number): void {
    this.#notBefore = now + this.#pauses.longListPauseMs;
    this.wantBy(this.#notBefore);
  }

  /** What the node says now matters more than how long the last list took. */
  shortenPause(): void {
    this.#notBefore = Math.min(this.#notBefore, this.#listedAt + this.#pauses.listPauseMs);
  }

  endPause(): void {
    this.#notBefore = 0;
  }
}
