/** The markets: pairs of currencies with trades or open orders. */
import type { Currency } from '../../chain/currency.ts';
import type { Market } from '../../chain/market.ts';
import { MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';
import { type AllEntriesSelection, defineList } from './define-list.ts';
import { PAIR_LABELS, type PairLabelsRow, pairLabelsSql } from './pair-labels.ts';

/**
 * A market. Each price is a ratio of two amounts; both are null if there is none. The day: the last 24 complete UTC hours before
 * that of the tip.
 */
export interface MarketRow extends Market, PairLabelsRow {
  readonly open_orders: number;
  /** All fills with a price. */
  readonly trades: number;
  /** The height of the newest of them; −1 without any. */
  readonly last_height: number;
  readonly last_base: Atoms | null;
  readonly last_quote: Atoms | null;
  /** The best price at which an order buys base; what is left in the orders with it. */
  readonly bid_base: Atoms | null;
  readonly bid_quote: Atoms | null;
  /** The best price at which an order sells base. */
  readonly ask_base: Atoms | null;
  readonly ask_quote: Atoms | null;
  readonly day_trades: number;
  readonly day_base_volume: Atoms;
  readonly day_quote_volume: Atoms;
  readonly day_high_base: Atoms | null;
  readonly day_high_quote: Atoms | null;
  readonly day_low_base: Atoms | null;
  readonly day_low_quote: Atoms | null;
  /**
   * The last price at its end against the last one before it, or the first one in it, in units of 10^-{@link CHANGE_DECIMALS},
   * rounded towards 0; null without a price until then.
   */
  readonly day_change: bigint | null;
}

/** The decimals of the change of a price. */
export const CHANGE_DECIMALS = 6;

export interface MarketKey extends Market {
  /** The height of the newest trade plus one; 0 without any. */
  readonly newest: number;
}

const CANDLE_OF = 'base = m.base and quote = m.quote and hours = 1 and start < w.until and start >= w.until - 86400';

/** Of the hours of a day there are 24 at most. What depends on the market and the day alone is one subquery: callers share it. */
const MARKETS = batchedQuery<[newest: number, base: Currency, quote: Currency, rowLimit: number], MarketRow>({
  name: 'markets',
  parameters: { newest: 'integer', base: 'bytea', quote: 'bytea', row_limit: 'integer' },
  presenceColumn: 'base',
  select: `
    select m.*, ${PAIR_LABELS}, bid.ask_balance as bid_base, bid.give_balance as bid_quote,
           ask.give_balance as ask_base, ask.ask_balance as ask_quote, day.*
    from (
      select base, quote, open_orders, trades, last_height, last_base, last_quote from markets
      where (last_height, base, quote) < (q.newest - 1, q.base, q.quote)
      order by last_height desc, base desc, quote desc limit q.row_limit
    ) m
    cross join lateral (select t.timestamp - t.timestamp % 3600 as until offset 0) w
    cross join lateral (${pairLabelsSql('m')}) l
    left join lateral (
      select ask_balance, give_balance from price_levels where ask_currency = m.base and give_currency = m.quote
      order by price desc limit 1
    ) bid on true
    left join lateral (
      select ask_balance, give_balance from price_levels where ask_currency = m.quote and give_currency = m.base
      order by price desc limit 1
    ) ask on true
    cross join lateral (
      select d.day_trades, d.day_base_volume, d.day_quote_volume, d.high[3] as day_high_base, d.high[2] as day_high_quote,
             d.low[3] as day_low_base, d.low[2] as day_low_quote,
             div((c.quote * o.base - o.quote * c.base) * 1e${CHANGE_DECIMALS}, o.quote * c.base) as day_change
      from (
        select coalesce(sum(trades), 0) as day_trades, coalesce(sum(base_volume), 0) as day_base_volume,
               coalesce(sum(quote_volume), 0) as day_quote_volume,
               max(array[ratio_price(high_quote, high_base), high_quote, high_base]) as high,
               min(array[ratio_price(low_quote, low_base), low_quote, low_base]) as low,
               min(array[first_height, open_quote, open_base]) as open,
               max(array[last_height, close_quote, close_base]) as close
        from candles where ${CANDLE_OF}
      ) d
      left join lateral (
        select close_base, close_quote from candles
        where base = m.base and quote = m.quote and hours = 1 and start < w.until - 86400
        order by start desc limit 1
      ) b on true
      cross join lateral (
        select coalesce(b.close_base, d.open[3]) as base, coalesce(b.close_quote, d.open[2]) as quote
      ) o
      cross join lateral (
        select coalesce(d.close[3], b.close_base) as base, coalesce(d.close[2], b.close_quote) as quote
      ) c
      offset 0
    ) day`,
});

/** Those with the newest trade first; then, by their ids downwards, those without any. */
export const MARKET_LIST = defineList<AllEntriesSelection, MarketKey, MarketRow>({
  name: () => 'market',
  fields: { newest: 'int32', base: 'optionalHash', quote: 'optionalHash' },
  sortKey: ({ last_height, base, quote }) => ({ newest: last_height + 1, base, quote }),
  read: (store, { after, limit }) =>
    store.query(MARKETS, after?.newest ?? MAX_HEIGHT, after?.base ?? '', after?.quote ?? '', limit),
});
