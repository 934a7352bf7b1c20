/** Limits lines of a log that may come again and again: one of a kind in an interval, which can say how many were left out. */

/** A kind may have data in it: then those logged long ago are forgotten. */
const MAX_KINDS = 1_000;

export class RepeatedLines {
  readonly #intervalMs: number;
  readonly #logged = new Map<string, { readonly at: number; omitted: number }>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Returns the number of lines of this kind that were left out since the last one; null if this one is to be left out. */
  take(kind: string): number | null {
    const now = performance.now();
    const last = this.#logged.get(kind);
    if (last !== undefined && now - last.at < this.#intervalMs) {
      last.omitted++;
      return null;
    }
    if (this.#logged.size >= MAX_KINDS) this.#logged.clear();
    this.#logged.set(kind, { at: now, omitted: 0 });
    return last?.omitted ?? 0;
  }
}
