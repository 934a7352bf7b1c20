/** The price levels of a side of an order book as pages show them: those whose prices are equal when rounded are one. */
import type { BookLevel, PriceRatio } from '../../api/present/order.ts';
import type { Atoms } from '../../chain/types.ts';
import { type ExactAmount, exactAmount } from './amount.ts';
import { roundNumber } from './number.ts';
import { unitPrice } from './trading-pair.ts';

/** One level, or several that follow each other, with their amounts and orders together. Its price is that of the best. */
export interface ShownLevel extends BookLevel {
  /** The price of the worst. */
  readonly worst: PriceRatio;
  readonly wholePrice: ExactAmount;
  readonly base: ExactAmount;
}

/** `levels`: the best first. */
export function shownLevels(levels: readonly BookLevel[]): readonly ShownLevel[] {
  const shown: ShownLevel[] = [];
  for (const level of levels) {
    const { baseDecimals, quoteDecimals, price: worst } = level;
    const wholePrice = unitPrice(worst, baseDecimals, quoteDecimals);
    const last = shown.at(-1);
    const isAdded = last !== undefined && rounded(last.wholePrice) === rounded(wholePrice);
    const first = isAdded ? last : { ...level, wholePrice, baseAmount: 0n, orderCount: 0 };
    const baseAmount = first.baseAmount + level.baseAmount;
    const orderCount = first.orderCount + level.orderCount;
    const base = exactAmount(baseAmount, baseDecimals);
    shown.splice(shown.length - Number(isAdded), 1, { ...first, worst, baseAmount, orderCount, base });
  }
  return shown;
}

/** Without the zeros by which 0.1810 and 0.181 differ. */
const rounded = ({ decimal }: ExactAmount) => roundNumber(decimal).replace(/(\.\d*?)0+$/, '$1');

/** Returns the cumulative amount at each level. */
export function runningSums(levels: readonly BookLevel[]): Atoms[] {
  let sum = 0n;
  return levels.map(({ baseAmount }) => {
    sum += baseAmount;
    return sum;
  });
}
