/** What it would cost to buy an amount from the order book, or bring to sell it. */
import { type FillEstimate, MAX_LEVELS, TAKER_SIDES, type TakerSide } from '../../answers/fill-estimate.ts';
import type { PairDecimals } from '../../answers/markets.ts';
import type { Atoms } from '../../chain/types.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { amountsIn, choice, count } from '../entry/kinds.ts';
import { pairFrozenSince, price, priceWithDecimals } from './market.ts';

interface Estimate extends FillEstimate {
  readonly side: TakerSide;
  readonly amount: Atoms;
  readonly decimals: PairDecimals;
  readonly frozenSince: number | null;
}

const base = amountsIn<Estimate>(({ decimals }) => decimals.base);
const quote = amountsIn<Estimate>(({ decimals }) => decimals.quote);

export const FILL_ESTIMATE = defineEntry<Estimate>({
  side: choice(TAKER_SIDES)(({ side }) => side),
  amount: base(({ amount }) => amount, 'Of base: what was asked for'),
  filled: base(({ filled }) => filled, 'Of base: what the book can fill'),
  unfilled: base(
    ({ unfilled }) => unfilled,
    `Of base: what the best ${MAX_LEVELS} levels of the book have too little of`,
  ),
  total: quote(
    ({ total }) => total,
    'Of quote: what is paid or received, rounded to atoms against the taker at each level',
  ),
  average_price: price.orNull(({ average, decimals }) => priceWithDecimals(decimals)(average)),
  worst_price: price.orNull(({ worst, decimals }) => priceWithDecimals(decimals)(worst)),
  levels: count(({ levels }) => levels, 'The price levels that are used'),
  frozen_since: pairFrozenSince(({ frozenSince }) => frozenSince),
});
