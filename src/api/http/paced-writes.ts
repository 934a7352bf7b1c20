/**
 * Large responses are written 256 kB at a time, with a turn of the event loop in between: hundreds of clients that
 * wait for the same read would otherwise get theirs in one go, and everybody else would wait for the copying.
 */

const MOST_BYTES_PER_TURN = 256 * 1024;

export class PacedWrites {
  readonly #mostBytes: number;
  readonly #waiting: { readonly bytes: number; readonly write: () => void }[] = [];
  #bytes = 0;
  #isScheduled = false;

  constructor(mostBytes = MOST_BYTES_PER_TURN) {
    this.#mostBytes = mostBytes;
  }

  /** Calls `write`, now or in one of the next turns. */
  add(bytes: number, write: () => void): void {
    if (this.#bytes >= this.#mostBytes) this.#waiting.push({ bytes, write });
    else {
      this.#bytes += bytes;
      write();
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#bytes = 0;
    const turn = this.#waiting.findIndex(({ bytes }) => {
      this.#bytes += bytes;
      return this.#bytes >= this.#mostBytes;
    });
    const due = this.#waiting.splice(0, turn === -1 ? this.#waiting.length : turn + 1);
    this.#isScheduled = due.length > 0;
    if (this.#isScheduled) setImmediate(this.#nextTurn);
    for (const { write } of due) write();
  };
}
