/** Something of which only so much may happen in one turn of the event loop, so that other clients do not wait for it. */
export class TurnBudget {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes one of this turn's; false when there is none left. */
  take(): boolean {
    if (this.#used === this.#most) return false;
    if (this.#used === 0) setImmediate(this.#reset);
    this.#used++;
    return true;
  }

  readonly #reset = (): void => {
    this.#used = 0;
  };
}
