/**
 * The one source of chance in a simulated chain: the same seed gives the same numbers on every machine.
 *
 * A small-fast-counting generator of 128 bits of state, seeded from text or a number by a 32-bit mixer.
 */
import type { Hex } from '../../chain/types.ts';

const TWO_POW_32 = 2 ** 32;

export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;
  /** The seed that it was made from. */
  readonly seed: string | number;

  constructor(seed: string | number) {
    this.seed = seed;
    this.reseed(seed);
  }

  /** Starts again from another seed. */
  reseed(seed: string | number): void {
    this.#counter = 1;
    let mixed = 0x9e3779b9;
    const word = (): number => {
      mixed = (mixed + 0x9e3779b9) | 0;
      let z = mixed ^ (mixed >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z ^= z >>> 15;
      z = Math.imul(z, 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    for (const char of String(seed)) mixed = Math.imul(mixed ^ char.codePointAt(0)!, 0x01000193) ^ word();
    this.#a = word();
    this.#b = word();
    this.#c = word();
    for (let round = 0; round < 12; round++) this.u32();
  }

  /** 0 … 2^32 − 1. */
  u32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  /** 0 ≤ x < 1. */
  unit(): number {
    return this.u32() / TWO_POW_32;
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** 0 … n − 1. */
  below(n: number): number {
    return Math.floor(this.unit() * n);
  }

  /** from … to, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** 0 … n − 1, the low numbers far more often (density falls with the root). */
  skewed(n: number): number {
    return Math.floor(this.unit() ** 2 * n);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** A position of `cumulated` (ascending sums of weights), each as often as its weight says. */
  weighted(cumulated: readonly number[]): number {
    const point = this.unit() * cumulated[cumulated.length - 1]!;
    let low = 0;
    let high = cumulated.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulated[middle]! > point) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** A number of events when `mean` is expected (Poisson). */
  count(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.#normal()));
    const limit = Math.exp(-mean);
    let product = this.unit();
    let events = 0;
    while (product > limit) {
      product *= this.unit();
      events++;
    }
    return events;
  }

  /** 0 … limit − 1 for limits up to 2^128; zero for a limit of zero. */
  bigBelow(limit: bigint): bigint {
    if (limit <= 0n) return 0n;
    if (limit <= 0x1fffffffffffffn) return BigInt(Math.floor(this.unit53() * Number(limit)));
    const words = (BigInt(this.u32()) << 96n) | (BigInt(this.u32()) << 64n);
    return (words | (BigInt(this.u32()) << 32n) | BigInt(this.u32())) % limit;
  }

  /** Spread over orders of magnitude, as amounts of money are: from … to. */
  magnitude(from: number, to: number): number {
    return from * (to / from) ** this.unit();
  }

  hex(bytes: number): Hex {
    const buffer = Buffer.allocUnsafe((bytes + 3) & ~3);
    for (let offset = 0; offset < buffer.length; offset += 4) buffer.writeUInt32LE(this.u32(), offset);
    return buffer.toString('hex', 0, bytes);
  }

  /** 0 ≤ x < 1 with all the bits that a double holds. */
  unit53(): number {
    return ((this.u32() >>> 5) * 67108864 + (this.u32() >>> 6)) / 9007199254740992;
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }
}
