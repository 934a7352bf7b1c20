/** Candles of a market as JSON, in the direction that was asked for. */
import { type CandleInDirection, candleInDirection } from '../../answers/candles.ts';
import { decimalsOfPair, type PairDecimals, type RequestedPair } from '../../answers/markets.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { CandleEntryRow, CandleRow } from '../../store/queries/orders/candles.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { amountsIn, count, flag } from '../entry/kinds.ts';
import { price, priceWithDecimals } from './market.ts';

interface PairCandle {
  readonly row: CandleEntryRow;
  readonly shown: CandleInDirection;
  readonly decimals: PairDecimals;
  readonly priced: ReturnType<typeof priceWithDecimals>;
}

export const CANDLE = defineEntry<PairCandle>({
  time: count(({ row }) => row.start, 'Its first second'),
  complete: flag(({ row }) => row.is_complete, 'false while its hour, day or week is not over at the tip'),
  open: price(({ shown, priced }) => priced(shown.open), 'The price of its first trade'),
  high: price(({ shown, priced }) => priced(shown.high)),
  low: price(({ shown, priced }) => priced(shown.low)),
  close: price(({ shown, priced }) => priced(shown.close), 'The price of its last trade'),
  base_volume: amountsIn<PairCandle>(({ decimals }) => decimals.base)(({ shown }) => shown.baseVolume),
  quote_volume: amountsIn<PairCandle>(({ decimals }) => decimals.quote)(({ shown }) => shown.quoteVolume),
  trades: count(({ row }) => row.trades),
});

/** Returns the writer of a page of candles, of which there may be hundreds; `first`: any of its rows. */
export function candleWriter(network: Network, pair: RequestedPair, first: CandleRow): (row: CandleEntryRow) => string {
  const decimals = decimalsOfPair(network, pair, first);
  const priced = priceWithDecimals(decimals);
  return (row) => CANDLE.json(network, { row, shown: candleInDirection(pair, row), decimals, priced });
}
