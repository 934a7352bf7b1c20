/** Prices as exact ratios. */

import type { Atoms } from '../chain/types.ts';

/** Quote atoms per base atoms, in lowest terms. */
export interface PriceRatio {
  readonly numerator: Atoms;
  readonly denominator: Atoms;
}

/** Is a book crossed: is its best bid not below its best ask? Orders of the chain are not matched with each other. */
export function isBookCrossed(bid: PriceRatio | null | undefined, ask: PriceRatio | null | undefined): boolean {
  return !!bid && !!ask && bid.numerator * ask.denominator >= ask.numerator * bid.denominator;
}

/** Returns how much higher one price is than another; below 0 if it is lower. */
export const priceDifference = (one: PriceRatio, other: PriceRatio): PriceRatio => ({
  numerator: one.numerator * other.denominator - other.numerator * one.denominator,
  denominator: one.denominator * other.denominator,
});

/** Returns the ratio of two amounts, not both 0, in lowest terms. */
export function reducedPriceRatio(quoteAtoms: Atoms, baseAtoms: Atoms): PriceRatio {
  const divisor = greatestCommonDivisor(quoteAtoms, baseAtoms);
  return { numerator: quoteAtoms / divisor, denominator: baseAtoms / divisor };
}

/** Largest exact integer of a number. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

function greatestCommonDivisor(first: Atoms, second: Atoms): Atoms {
  let [a, b] = [first, second];
  // Small values use numbers, ten times faster than bigint.
  while (b !== 0n && (a > MAX_EXACT || b > MAX_EXACT)) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let [x, y] = [Number(a), Number(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
}

/** Returns the price of one whole unit of base, in atoms of quote, rounded down. */
export function wholeUnitPrice({ numerator, denominator }: PriceRatio, baseDecimals: number): Atoms {
  return (numerator * 10n ** BigInt(baseDecimals)) / denominator;
}
