/**
 * The newest events, numbered: every client has a position in it, and one whose position is evicted has
 * lost events. Events that come faster than they can be sent wait behind its new end.
 */
import type { EncodedEvent } from './encoded-event.ts';

interface RecentLimits {
  readonly entries: number;
  /** Of the frames that one client gets of them. */
  readonly bytes: number;
}

export class RecentEvents {
  readonly #limits: RecentLimits;
  #entries: EncodedEvent[] = [];
  #waiting: EncodedEvent[] = [];
  #first = 0;

  constructor(limits: RecentLimits) {
    this.#limits = limits;
  }

  /** The number of the oldest event. */
  get first(): number {
    return this.#first;
  }

  /** The number after the newest event that can be sent. */
  get end(): number {
    return this.#first + this.#entries.length;
  }

  /** The number of the next event to be added. */
  get next(): number {
    return this.end + this.#waiting.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** From `first` to `next`. */
  at(number: number): EncodedEvent {
    return this.#entries[number - this.#first] ?? this.#waiting[number - this.end]!;
  }

  /** Adds an event, which waits for `advance`. */
  add(entry: EncodedEvent): void {
    this.#waiting.push(entry);
  }

  /** Makes waiting events available, at most half of the limits at once: clients get the chance to read the others first. */
  advance(): void {
    const { entries, bytes } = this.#limits;
    const mostEntries = Math.max(1, Math.floor(entries / 2));
    let taken = 0;
    let takenBytes = 0;
    while (taken < this.#waiting.length && taken < mostEntries) {
      takenBytes += this.#waiting[taken]!.bytes;
      if (taken > 0 && takenBytes > bytes / 2) break;
      taken++;
    }
    this.#entries.push(...this.#waiting.splice(0, taken));
    this.#letOldGo();
  }

  /** Removes all events; the numbers continue. */
  clear(): void {
    this.#first = this.next;
    this.#entries = [];
    this.#waiting = [];
  }

  #letOldGo(): void {
    let bytes = 0;
    let kept = 0;
    while (kept < this.#entries.length && kept < this.#limits.entries) {
      bytes += this.#entries.at(-1 - kept)!.bytes;
      if (kept > 0 && bytes > this.#limits.bytes) break;
      kept++;
    }
    const gone = this.#entries.length - kept;
    this.#entries.splice(0, gone);
    this.#first += gone;
  }
}
