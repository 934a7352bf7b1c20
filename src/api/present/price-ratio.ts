/** Prices of orders: exact ratios of atoms. */
import type { Atoms } from '../../chain/types.ts';

/** Quote atoms for base atoms, in lowest terms. */
export interface Ratio {
  readonly numerator: Atoms;
  readonly denominator: Atoms;
}

/** The ratio in lowest terms of two amounts that are not both 0. */
export function reducedRatio(quoteAtoms: Atoms, baseAtoms: Atoms): Ratio {
  const divisor = greatestCommonDivisor(quoteAtoms, baseAtoms);
  return { numerator: quoteAtoms / divisor, denominator: baseAtoms / divisor };
}

/** Up to here a double counts exactly. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

function greatestCommonDivisor(first: Atoms, second: Atoms): Atoms {
  let [a, b] = [first, second];
  // Most steps are with numbers that a double holds, where a step costs a tenth.
  while (b !== 0n && (a > MAX_EXACT || b > MAX_EXACT)) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let [x, y] = [Number(a), Number(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
}

/** What one whole unit of base costs, in atoms of quote, rounded down. */
export function wholeUnitPrice({ numerator, denominator }: Ratio, baseDecimals: number): Atoms {
  return (numerator * 10n ** BigInt(baseDecimals)) / denominator;
}
