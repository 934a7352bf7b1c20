/** Fills of orders, the trades of a market, in the direction that was asked for. */

import type { Atoms } from '../chain/types.ts';
import type { FillEntryRow } from '../store/queries/orders/fills.ts';
import { type AskedPair, isMirrored, pricedIn } from './markets.ts';
import type { PriceRatio } from './price-ratio.ts';

export const SIDES = ['buy', 'sell'] as const;

/** A fill in the direction of a pair. */
export interface ShownFill {
  readonly side: (typeof SIDES)[number];
  readonly price: PriceRatio | null;
  readonly baseAmount: Atoms;
  readonly quoteAmount: Atoms;
}

export function shownFill(pair: AskedPair, row: FillEntryRow): ShownFill {
  const mirrored = isMirrored(pair);
  return {
    side: row.is_buy !== mirrored ? 'buy' : 'sell',
    price: pricedIn(pair, row.base_amount, row.quote_amount),
    baseAmount: mirrored ? row.quote_amount : row.base_amount,
    quoteAmount: mirrored ? row.base_amount : row.quote_amount,
  };
}
