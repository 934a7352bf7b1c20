/** What it would cost to buy an amount from the order book, or bring to sell it. */

import type { Atoms } from '../chain/types.ts';
import { badRequest } from '../serving/errors/api-error.ts';
import type { BookLevel } from './order-book.ts';
import { type PriceRatio, reducedPriceRatio } from './price-ratio.ts';

/** What somebody does with base: `buy` takes from the orders that give it, `sell` from those that ask for it. */
export type TakerSide = 'buy' | 'sell';

/** The levels that are looked at: the best ones. */
export const MAX_LEVELS = 500;

export interface FillEstimate {
  /** Of base, in atoms. */
  readonly filled: Atoms;
  /** What these levels of the book have too little of. */
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

/** Returns the atoms of a decimal text. Throws the error 400, for which a token's decimals must be known. */
export function parseWholeAmount(text: string, decimals: number): Atoms {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{0,30}))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.replace(/0+$/, '').length > decimals)
    throw badRequest(`Invalid amount: a number with at most ${decimals} decimals is expected`);
  const atoms = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (atoms === 0n) throw badRequest('Invalid amount: more than 0 is expected');
  return atoms;
}
