/** Decides when to request the node's whole list, and when to pause. Times are of a monotonic clock. */
import { pauseAfter } from '../node/retry.ts';

export interface ListPauses {
  /** Interval between lists if nothing requests one sooner. */
  readonly listEveryMs: number;
  /** Between two lists at least; ten times as long as the last one took, if that is more. */
  readonly listPauseMs: number;
  /** How often a list is tried that was too long for the node. */
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

  /** Milliseconds until the node may be asked for anything. */
  get restMs(): number {
    return this.#restUntil - this.#now();
  }

  /** Milliseconds until a list is due. */
  get dueInMs(): number {
    return Math.max(this.#wantedAt, this.#notBefore) - this.#now();
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Do events come in? */
  get isSubscribed(): boolean {
    return this.#isSubscribed;
  }

  /** Was the last list longer than the node tells? */
  get isListTooLong(): boolean {
    return this.#isListTooLong;
  }

  /** Requests a list as soon as the pauses allow it. */
  want(): void {
    this.#wantedAt = 0;
  }

  /** There are no events that would ask for a list. */
  unsubscribed(): void {
    this.#isSubscribed = false;
    this.#wantedAt = Math.min(this.#wantedAt, this.#now() + POLL_MS);
  }

  /** The events are back: what was missed is wanted at once. */
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
    // The node left a block: what it says now matters more than how long the last list took.
    if (!isNext && !this.#isListTooLong) {
      this.#notBefore = Math.min(this.#notBefore, this.#listedAt + this.#pauses.listPauseMs);
    }
    this.want();
  }

  /** A wish for a list that comes from here on is one for the next. */
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

  /** The index could not be read. */
  rest(): void {
    this.#restUntil = this.#now() + POLL_MS;
  }
}
