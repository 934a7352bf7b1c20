/** An approximate set of recent texts in little memory: false positives and evictions are possible. */
import { fnv1a } from '../http/fnv1a.ts';

const SLOTS = 1 << 16;

export class SeenFilter {
  /** A part of the hash of the text that came last, by the other part. */
  readonly #marks = new Uint16Array(SLOTS);

  /** Notes a text; true when it came before. */
  note(text: string): boolean {
    return this.noteHash(fnv1a(text));
  }

  /** The same for a text whose hash is known. */
  noteHash(hash: number): boolean {
    const slot = hash & (SLOTS - 1);
    const mark = hash >>> 16;
    if (this.#marks[slot] === mark) return true;
    this.#marks[slot] = mark;
    return false;
  }
}
