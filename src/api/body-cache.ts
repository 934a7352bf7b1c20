/** Finished answers of the current tip by their URL, bounded in bytes; the oldest go first. */
import { AskedBefore } from './asked-before.ts';
import type { Finished } from './finished.ts';

/** An answer that would fill more than this part of the cache is not kept. */
const LARGEST_PART = 1 / 4;
/**
 * What stays when the cache is full. A map that loses its oldest entry again and again has to step over the holes each
 * time it looks for the next; losing many at once, it seldom does.
 */
const KEPT_PART = 0.9;
/** A URL longer than this is hardly asked twice. */
const LONGEST_URL = 400;
/**
 * An answer smaller than this is kept only when its URL was asked for before: it is soon made again, and most are never
 * asked for again; to keep those as well would give the garbage collector twice the work.
 */
const SMALL_BYTES = 16_384;

export class BodyCache {
  readonly #mostBytes: number;
  readonly #answers = new Map<string, Finished>();
  readonly #asked = new AskedBefore();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(url: string): Finished | undefined {
    return this.#answers.get(url);
  }

  put(url: string, answer: Finished): void {
    const size = sizeOf(url, answer);
    if (url.length > LONGEST_URL || size > this.#mostBytes * LARGEST_PART) return;
    if (!this.#asked.note(url) && size < SMALL_BYTES) return;
    this.#remove(url);
    this.#answers.set(url, answer);
    this.#bytes += size;
    if (this.#bytes <= this.#mostBytes) return;
    for (const oldest of this.#answers.keys()) {
      this.#remove(oldest);
      if (this.#bytes <= this.#mostBytes * KEPT_PART) break;
    }
  }

  /** Called when the tip changes. */
  clear(): void {
    this.#answers.clear();
    this.#bytes = 0;
  }

  #remove(url: string): void {
    const answer = this.#answers.get(url);
    if (!answer) return;
    this.#answers.delete(url);
    this.#bytes -= sizeOf(url, answer);
  }
}

function sizeOf(url: string, answer: Finished): number {
  return 2 * url.length + answer.size;
}
