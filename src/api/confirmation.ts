/** For how long the database has not said that the tip is what we take it for. */

/** How often it is looked at. */
const INTERVAL_MS = 250;

export class Confirmation {
  readonly #isConfirmed: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #confirmedAt = performance.now();

  constructor(isConfirmed: () => boolean) {
    this.#isConfirmed = isConfirmed;
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Seconds since the tip was last known to be confirmed, or since the start; 0 while it is. */
  get age(): number {
    return this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): number {
    const now = performance.now();
    if (this.#isConfirmed()) this.#confirmedAt = now;
    return (now - this.#confirmedAt) / 1_000;
  }
}
