/** The newest events, in which every client of the stream has a position. */
import type { EncodedEvent } from './stream-event.ts';

interface RecentLimits {
  readonly entries: number;
  /** The bytes of the frames that a client gets. */
  readonly bytes: number;
}

/**
 * The newest events, numbered. Every client has a position in it; a client whose position is evicted has lost events.
 * Events that come faster than they can be sent wait behind the end.
 */
export class RecentEvents {
  readonly #limits: RecentLimits;
  #entries: EncodedEvent[] = [];
  #waiting: EncodedEvent[] = [];
  #first = 0;
  #lostEnd = 0;

  constructor(limits: RecentLimits) {
    this.#limits = limits;
  }

  /** The number of the oldest event. */
  get first(): number {
    return this.#first;
  }

  /** The number after the last evicted event that no replay sends. */
  get lostEnd(): number {
    return this.#lostEnd;
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

  /** Returns the event with a number from `first` to `next`. */
  at(number: number): EncodedEvent {
    return this.#entries[number - this.#first] ?? this.#waiting[number - this.end]!;
  }

  /** Adds an event, which waits for `advance`. */
  add(entry: EncodedEvent): void {
    this.#waiting.push(entry);
  }

  /** Makes waiting events available, at most half of the limits at once, so that clients can read the others first. */
  advance(): void {
    const { entries, bytes } = this.#limits;
    const maxEntries = Math.max(1, Math.floor(entries / 2));
    let taken = 0;
    let takenBytes = 0;
    while (taken < this.#waiting.length && taken < maxEntries) {
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
    for (const { position } of this.#entries.splice(0, this.#entries.length - kept)) {
      this.#first++;
      if (position === null) this.#lostEnd = this.#first;
    }
  }
}
