/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Decisions from a seed: the same seed gives the same ones in the same order. */
export class SeededRandom {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = numbersFrom(seed);
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  isTrue(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(0, from.length - 1)]!;
  }

  /** Returns `count` items in random order, or all if there are fewer. */
  some<T>(from: readonly T[], count: number): T[] {
    const rest = [...from];
    for (let at = 0; at < Math.min(count, rest.length); at++) {
      const other = this.whole(at, rest.length - 1);
      [rest[at], rest[other]] = [rest[other]!, rest[at]!];
    }
    return rest.slice(0, count);
  }
}
