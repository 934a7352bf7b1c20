/** Prices of orders: exact ratios of atoms. */
import type { Atoms } from '../chain/types.ts';

/** Quote atoms for base atoms, in lowest terms. */
export interface Ratio {
  readonly numerator: Atoms;
  readonly denominator: Atoms;
}

/** The ratio in lowest terms of two amounts that are not both 0. */
export function reducedRatio(quoteAtoms: Atoms, baseAtoms: Atoms): Ratio {
  let [a, b] = [quoteAtoms, baseAtoms];
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: quoteAtoms / a, denominator: baseAtoms / a };
}

/** What one whole unit of base costs, in atoms of quote, rounded down. */
export function wholeUnitPrice({ numerator, denominator }: Ratio, baseDecimals: number): Atoms {
  return (numerator * 10n ** BigInt(baseDecimals)) / denominator;
}
