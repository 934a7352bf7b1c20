/** Decides when the mirror requests the node's whole list, and when it pauses. Times are of a monotonic clock. */
import { jitteredBackoffPause } from '../errors/retry.ts';

export interface MempoolListPauses {
  /** The interval between lists, if nothing requests one sooner. */
  readonly listEveryMs: number;
  /** The minimum pause after a list. After a slow list the pause is ten times as long as the list took. */
  readonly listPauseMs: number;
  /** The pause after the node refused a list as too long. */
  readonly longListPauseMs: number;
}

/**
 * The interval between lists while no events are received, and the pause before a failed read of the index is repeated.
 */
const POLL_MS = 1_000;
const AFTER_FAILURES = { firstMs: 250, maxMs: 5_000 };

export class MempoolListSchedule {
  readonly #pauses: MempoolListPauses;
  readonly #now: () => number;
  #wantedAt = 0;
  #notBefore = 0;
  #begunAt = 0;
  #listedAt = 0;
  #restUntil = 0;
  /** In a row. */
  #failures = 0;
  #isSubscribed = false;
  #isListTooLong = false;
  #nodeHeight = 0;

  constructor(pauses: MempoolListPauses, now: () => number) {
    this.#pauses = pauses;
    this.#now = now;
  }

  /** Milliseconds until the next request of any kind is allowed. */
  get restMs(): number {
    return this.#restUntil - this.#now();
  }

  /** Milliseconds until a list is due. */
  get dueInMs(): number {
    return Math.max(this.#wantedAt, this.#notBefore) - this.#now();
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

  /** Notes that no events are received. Until they are back, lists are requested at short intervals. */
  unsubscribed(): void {
    this.#isSubscribed = false;
    this.#wantedAt = Math.min(this.#wantedAt, this.#now() + POLL_MS);
  }

  /** Notes that events are received again. A list is requested at once, because events were missed. */
  subscribed(): void {
    this.#isSubscribed = true;
    this.#notBefore = 0;
    this.#restUntil = 0;
    this.want();
  }

  /**
   * Requests a list after a new tip: transactions that return from a block, or that a block makes invalid, have no
   * event.
   */
  newTip(height: number): void {
    const isNext = height === this.#nodeHeight + 1;
    this.#nodeHeight = height;
    // After a reorganisation the current list matters more than the pause after a slow one.
    if (!isNext && !this.#isListTooLong) {
      this.#notBefore = Math.min(this.#notBefore, this.#listedAt + this.#pauses.listPauseMs);
    }
    this.want();
  }

  /** Notes that a list begins. What is requested from now on is the next list. */
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
    this.#restUntil = this.#now() + jitteredBackoffPause(this.#failures, AFTER_FAILURES);
    this.want();
  }

  /** Notes that the index could not be read, and pauses. */
  rest(): void {
    this.#restUntil = this.#now() + POLL_MS;
  }
}
