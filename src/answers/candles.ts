/** Candles of a market, in the direction that was asked for. */

import type { Atoms } from '../chain/types.ts';
import type { CandleEntryRow } from '../store/queries/orders/candles.ts';
import { isMirrored, type RequestedPair } from './markets.ts';
import type { PriceRatio } from './price-ratio.ts';

/** The prices of a candle in the direction of a pair. */
export interface CandleInDirection {
  readonly open: PriceRatio;
  readonly high: PriceRatio;
  readonly low: PriceRatio;
  readonly close: PriceRatio;
  readonly baseVolume: Atoms;
  readonly quoteVolume: Atoms;
}

/** Seen from the other side, the highest price is the lowest. Prices are stored in lowest terms. */
export function candleInDirection(pair: RequestedPair, row: CandleEntryRow): CandleInDirection {
  const mirrored = isMirrored(pair);
  const price = (base: Atoms, quote: Atoms): PriceRatio =>
    mirrored ? { numerator: base, denominator: quote } : { numerator: quote, denominator: base };
  const [high, low] = [price(row.high_base, row.high_quote), price(row.low_base, row.low_quote)];
  return {
    open: price(row.open_base, row.open_quote),
    high: mirrored ? low : high,
    low: mirrored ? high : low,
    close: price(row.close_base, row.close_quote),
    baseVolume: mirrored ? row.quote_volume : row.base_volume,
    quoteVolume: mirrored ? row.base_volume : row.quote_volume,
  };
}
