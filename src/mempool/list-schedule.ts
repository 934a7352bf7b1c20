/** Decides when to request the node's whole list, and when to pause. Times are of a monotonic clock. */
import { pauseAfter } from '../node/retry.ts';

export interface ListPauses {
  /** Interval between lists if nothing requests one sooner. */
  readonly listEveryMs: number;
  /** The minimum pause between two lists; longer, ten times the duration of the last one, if that is more. */
  readonly listPauseMs: number;
  /** The pause after a list that was too long for the node. */
  readonly longListPauseMs: number;
}

/** The pause between lists while there are no events, and before a failed read of the index is repeated. */
const POLL_MS = 1_000;
const AFTER_FAILURES = { firstMs: 250, maxMs: 5_000 };

export class ListSchedule {
  readonly #pauses: ListPauses;
  readonly #now: () => number;
  #wantedAt = 0;
  #notBefore = 0;
  #begunAt = 0;
  #listedAt = 0;
  #restUntil = 0;
  #failures = 0;
  #isSubscribed = false;
  #isListTooLong = false;
  #nodeHeight = 0;

  constructor(pauses: ListPauses, now: () => number) {
    this.#pauses = pauses;
    this.#now = now;
  }

  /** Milliseconds until any request to the node is allowed. */
  get restMs(): number {
    return this.#restUntil - this.#now();
  }

  /** Milliseconds until a list is due. */
  get dueInMs(): number {
    return Math.max(this.#wantedAt, this.#notBefore) - this.#now();
  }

  /** The number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Are events received? */
  get isSubscribed(): boolean {
    return this.#isSubscribed;
  }

  /** Was the last list too long for the node to return? */
  get isListTooLong(): boolean {
    return this.#isListTooLong;
  }

  /** Requests a list as soon as the pauses allow it. */
  want(): void {
    this.#wantedAt = 0;
  }

  /** Notes that events are not received, so that nothing requires lists. */
  unsubscribed(): void {
    this.#isSubscribed = false;
    this.#wantedAt = Math.min(this.#wantedAt, this.#now() + POLL_MS);
  }

  /** Notes that events are received again. A list is requested at once, because some were missed. */
  subscribed(): void {
    this.#isSubscribed = true;
    this.#notBefore = 0;
    this.#restUntil = 0;
    this.want();
  }

  /** Transactions that return from a block, and those that a block makes invalid, have no event. */
  newTip(height: number): void {
    const isNext = height === this.#nodeHeight + 1;
    this.#nodeHeight = height;
    // The node left a block, so its current state matters more than the duration of the last list.
    if (!isNext && !this.#isListTooLong) {
      this.#notBefore = Math.min(this.#notBefore, this.#listedAt + this.#pauses.listPauseMs);
    }
    this.want();
  }

  /** Begins a list. Later requests are for the next one. */
  begin(): void {
    this.#begunAt = this.#now();
    this.#wantedAt = Number.POSITIVE_INFINITY;
  }

  listed(): void {
    this.#isListTooLong = false;
    const now = this.#now();
    this.#listedAt = now;
    this.#notBefore = now + Math.max(this.#pauses.listPauseMs, 10 * (now - this.#begunAt));
    this.#wantedAt = Math.min(this.#wantedAt, now + (this.#isSubscribed ? this.#pauses.listEveryMs : POLL_MS));
  }

  tooLong(): void {
    this.#isListTooLong = true;
    this.#notBefore = this.#now() + this.#pauses.longListPauseMs;
    this.#wantedAt = Math.min(this.#wantedAt, this.#notBefore);
  }

  worked(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures++;
    this.#restUntil = this.#now() + pauseAfter(this.#failures, AFTER_FAILURES);
    this.want();
  }

  /** Notes that the index could not be read. */
  rest(): void {
    this.#restUntil = this.#now() + POLL_MS;
  }
}
