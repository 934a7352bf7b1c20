/** What it would cost to buy an amount from the order book, or bring to sell it. */

import type { Atoms } from '../chain/types.ts';
import type { BookLevel } from './order-book.ts';
import { type PriceRatio, reducedPriceRatio } from './price-ratio.ts';

/** What somebody does with base: `buy` takes from the orders that give it, `sell` from those that ask for it. */
export const TAKER_SIDES = ['buy', 'sell'] as const;
export type TakerSide = (typeof TAKER_SIDES)[number];

/** The levels that are looked at: the best ones. */
export const MAX_LEVELS = 500;

export interface FillEstimate {
  /** The base that these levels give or take, in atoms. */
  readonly filled: Atoms;
  /** The rest of the asked base, in atoms, which no level has. */
  readonly unfilled: Atoms;
  /** Of quote, in atoms: rounded up when paid, and down when received, at each level. */
  readonly total: Atoms;
  /** Null if nothing is filled. */
  readonly average: PriceRatio | null;
  readonly worst: PriceRatio | null;
  readonly levels: number;
}

/** `levels`: the best first. `amount`: of base, in atoms. */
export function estimateFill(
  levels: Iterable<Pick<BookLevel, 'price' | 'baseAmount'>>,
  side: TakerSide,
  amount: Atoms,
): FillEstimate {
  let [unfilled, total, count] = [amount, 0n, 0];
  let worst: PriceRatio | null = null;
  for (const { price, baseAmount } of levels) {
    if (unfilled === 0n) break;
    const taken = baseAmount < unfilled ? baseAmount : unfilled;
    const { numerator, denominator } = price;
    total += (taken * numerator + (side === 'buy' ? denominator - 1n : 0n)) / denominator;
    unfilled -= taken;
    worst = price;
    count++;
  }
  const filled = amount - unfilled;
  const average = filled > 0n && total > 0n ? reducedPriceRatio(total, filled) : null;
  return { filled, unfilled, total, average, worst, levels: count };
}
