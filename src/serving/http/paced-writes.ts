/**
 * Large responses are written 256 kB at a time, with a turn of the event loop in between, and clients take turns: everybody
 * else would otherwise wait for the copying of all responses that are ready.
 */
import type { Caller } from '../resources/caller.ts';
import { TurnQueue } from '../resources/slots.ts';

export const MAX_BYTES_PER_TURN = 256 * 1024;

/** Writes, and says how many bytes. */
type Write = () => number;

export class PacedWrites {
  readonly #maxBytes: number;
  readonly #waiting: TurnQueue<Write>;
  #bytes = 0;
  #isScheduled = false;

  constructor(weightOf: (client: string) => number, maxBytes = MAX_BYTES_PER_TURN) {
    this.#waiting = new TurnQueue(weightOf);
    this.#maxBytes = maxBytes;
  }

  /** Calls `write`, now or in one of the next turns, on behalf of the caller. */
  add(sender: { readonly caller: Caller }, write: Write): void {
    if (this.#isFull) this.#waiting.add(sender.caller.client, write);
    else this.#bytes += write();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#nextTurn);
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  readonly #nextTurn = (): void => {
    this.#bytes = 0;
    this.#isScheduled = this.#waiting.size > 0;
    if (this.#isScheduled) setImmediate(this.#nextTurn);
    for (const write of this.#waiting.take(() => (this.#isFull ? 'stop' : 'take'))) this.#bytes += write();
  };
}
