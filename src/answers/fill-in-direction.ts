/** Fills of orders, the trades of a market, in the direction that was asked for. */

import type { Atoms } from '../chain/types.ts';
import type { FillEntryRow } from '../store/queries/orders/fills.ts';
import type { TakerSide } from './fill-estimate.ts';
import { isMirrored, priceInDirection, type RequestedPair } from './markets.ts';
import type { PriceRatio } from './price-ratio.ts';

/** A fill in the direction of a pair. */
export interface ShownFill {
  readonly side: TakerSide;
  readonly price: PriceRatio | null;
  readonly baseAmount: Atoms;
  readonly quoteAmount: Atoms;
}

export function shownFill(pair: RequestedPair, row: FillEntryRow): ShownFill {
  const mirrored = isMirrored(pair);
  return {
    side: row.is_buy !== mirrored ? 'buy' : 'sell',
    price: priceInDirection(pair, row.price_base, row.price_quote),
    baseAmount: mirrored ? row.quote_amount : row.base_amount,
    quoteAmount: mirrored ? row.base_amount : row.quote_amount,
  };
}
