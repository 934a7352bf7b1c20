/** Candles of a market as JSON, in the direction that was asked for. */
import Type from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { COUNT_SCHEMA, describedRef, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { CandleEntryRow, CandleRow } from '../../store/queries/orders/candles.ts';
import { type AskedPair, decimalsOfPair, isMirrored, PRICE, priceWriter } from './market.ts';
import { objectWriter } from './object-writer.ts';
import type { PriceRatio } from './order.ts';

export const CANDLE_SCHEMA = strictObject({
  time: { ...COUNT_SCHEMA, description: 'Its first second' },
  complete: Type.Boolean({ description: 'false while its hour, day or week is not over at the tip' }),
  open: describedRef('Price', 'The price of its first trade'),
  high: PRICE,
  low: PRICE,
  close: describedRef('Price', 'The price of its last trade'),
  base_volume: schemaRef('Amount'),
  quote_volume: schemaRef('Amount'),
  trades: COUNT_SCHEMA,
});

const candleJson = objectWriter(CANDLE_SCHEMA);

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
export function candleInDirection(pair: AskedPair, row: CandleEntryRow): CandleInDirection {
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

/** Returns the writer of a page of candles, of which there may be hundreds; `first`: any of its rows. */
export function candleWriter(
  network: Network,
  pair: AskedPair,
  first: CandleRow,
): (row: CandleEntryRow) => JsonTextOf<typeof CANDLE_SCHEMA> {
  const decimals = decimalsOfPair(network, pair, first);
  const price = priceWriter(decimals);
  return (row) => {
    const { open, high, low, close, baseVolume, quoteVolume } = candleInDirection(pair, row);
    return candleJson({
      time: row.start,
      complete: row.is_complete,
      open: price(open),
      high: price(high),
      low: price(low),
      close: price(close),
      base_volume: amountJson(baseVolume, decimals.base),
      quote_volume: amountJson(quoteVolume, decimals.quote),
      trades: row.trades,
    });
  };
}
