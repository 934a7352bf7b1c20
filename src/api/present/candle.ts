/** Candles of a market as JSON, in the direction that was asked for. */
import Type from 'typebox';
import { candleInDirection } from '../../answers/candles.ts';
import { type AskedPair, decimalsOfPair } from '../../answers/markets.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/common-values.ts';
import { COUNT_SCHEMA, describedRef, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { CandleEntryRow, CandleRow } from '../../store/queries/orders/candles.ts';
import { PRICE, priceWriter } from './market.ts';
import { objectWriter } from './object-writer.ts';

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
