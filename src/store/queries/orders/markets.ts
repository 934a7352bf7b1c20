/** The markets: pairs of currencies with trades or open orders. */
import { DAY_SECONDS } from '../../../chain/calendar.ts';
import type { Currency } from '../../../chain/currency.ts';
import type { Market } from '../../../chain/market.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms } from '../../../chain/types.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { blockAtTimeSql } from '../blocks/block-lists.ts';
import { type AllEntriesSelection, defineList, type List } from '../lists/define-list.ts';
import { PAIR_LABELS, type PairLabelsRow, pairLabelsSql } from './market-labels.ts';

/**
 * A market. Each price is a ratio of two amounts; both are null if there is none. The day: the 24 hours up to the tip's timestamp.
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
  /** The coins that orders offer for base at half of the last price or more; null without a trade, or if the quote is no coin. */
  readonly coin_depth: Atoms | null;
  readonly day_trades: number;
  readonly day_base_volume: Atoms;
  readonly day_quote_volume: Atoms;
  readonly day_high_base: Atoms | null;
  readonly day_high_quote: Atoms | null;
  readonly day_low_base: Atoms | null;
  readonly day_low_quote: Atoms | null;
  /**
   * The newest price against the last one before the day, in units of 10^-{@link CHANGE_DECIMALS}, rounded towards 0; null
   * without a trade in the day, or before it.
   */
  readonly day_change: bigint | null;
}

/** The decimals of the change of a price. */
export const CHANGE_DECIMALS = 6;

interface MarketKey extends Market {
  /** The height of the newest trade plus one; 0 without any. */
  readonly newest: number;
}

/** The price of a level of the book is in these parts of an atom. */
const PRICE_UNITS = '1e78';

/** The coins that orders offer for the base of a market `m` with the coin, at half of its last price or more. */
export const COIN_DEPTH_SQL = `(
      select coalesce(sum(give_balance), 0) from price_levels l
      where l.ask_currency = m.base and l.give_currency = '' and l.price >= div(m.last_quote * ${PRICE_UNITS}, 2 * m.last_base))`;

const MARKET_OF = 'base = m.base and quote = m.quote';

/** The parts of hours at the ends of the day: their fills are summed up one by one. */
const ENDS = {
  opening: 'timestamp > w.since and timestamp < w.first_hour',
  closing: 'timestamp >= w.open_hour and timestamp <= w.until',
} as const;
type End = keyof typeof ENDS;

/** The lowest and the highest block of an end: timestamps may go back. The fence keeps it a scan of these times. */
const blocksSql = (end: End) =>
  `(select min(height) as low, max(height) as high from (select height from blocks where ${ENDS[end]} offset 0) b) ${end}`;

const fillsSql = (end: End) => `
          select 1, base_amount, quote_amount, price, price
          from (
            select *, array[ratio_price(price_quote, price_base)] || lowest_terms(price_quote, price_base) as price from fills
            where ${MARKET_OF} and height between w.${end}_low and w.${end}_high and ${ENDS[end]}
                  and price_base is not null
          ) f`;

/**
 * What the day of a market `m` was: whole hours, of which there are 23 at most, and the fills at its ends. It depends on the market
 * and the day alone: callers share it.
 */
export const DAY_SQL = `
      select d.day_trades, d.day_base_volume, d.day_quote_volume, d.high[3] as day_high_base, d.high[2] as day_high_quote,
             d.low[3] as day_low_base, d.low[2] as day_low_quote,
             case when d.day_trades > 0
               then div((m.last_quote * b.price_base - b.price_quote * m.last_base) * 1e${CHANGE_DECIMALS},
                        b.price_quote * m.last_base) end as day_change
      from (
        select coalesce(sum(trades), 0) as day_trades, coalesce(sum(base_volume), 0) as day_base_volume,
               coalesce(sum(quote_volume), 0) as day_quote_volume, max(high) as high, min(low) as low
        from (
          select trades, base_volume, quote_volume, array[ratio_price(high_quote, high_base), high_quote, high_base] as high,
                 array[ratio_price(low_quote, low_base), low_quote, low_base] as low
          from candles
          where ${MARKET_OF} and hours = 1 and start >= w.first_hour and start < w.open_hour
          union all ${fillsSql('opening')}
          union all ${fillsSql('closing')}
        ) parts
      ) d
      left join lateral (
        select price_base, price_quote from fills
        where ${MARKET_OF} and height <= w.eve and timestamp <= w.since and price_base is not null
        order by height desc, position desc, input_index desc limit 1
      ) b on true
      offset 0`;

/** The day, which is read once. */
export const WINDOW_SQL = `
    with w as materialized (
      select w.*, opening.low as opening_low, opening.high as opening_high, closing.low as closing_low,
             closing.high as closing_high, (select height from (${blockAtTimeSql('w.since')}) eve) as eve
      from (
        select timestamp as until, timestamp - ${DAY_SECONDS} as since, candle_start(1, timestamp) as open_hour,
               candle_start(1, timestamp - ${DAY_SECONDS}) + 3600 as first_hour
        from chain_tip offset 0
      ) w
      cross join lateral ${blocksSql('opening')}
      cross join lateral ${blocksSql('closing')}
    )`;

/**
 * `w` and, as `traded`, the tokens that were traded for coins in the day, with the coins. For each query again: the values change with
 * every block.
 */
export const TRADED_TOKENS_SQL = `${WINDOW_SQL},
    traded as materialized (
      select m.base as token_id, day.day_quote_volume as value
      from (select * from markets where quote = '' and last_height > coalesce((select eve from w), -1)) m
      cross join w
      cross join lateral (${DAY_SQL}) day
      where day.day_quote_volume > 0 and exists (select from tokens where token_id = m.base)
    )`;

const MARKET_COLUMNS = 'base, quote, open_orders, trades, last_height, last_base, last_quote';

/** Adds to markets what other tables know. `from`: selects them in their order; `ranks`: further common table expressions. */
const marketsSql = (from: string, ranks = '') => `${WINDOW_SQL}${ranks}
    select m.*, ${PAIR_LABELS}, bid.ask_balance as bid_base, bid.give_balance as bid_quote,
           ask.give_balance as ask_base, ask.ask_balance as ask_quote,
           case when m.quote = '' and m.last_base > 0 then ${COIN_DEPTH_SQL} end as coin_depth, day.*
    from (${from}) m
    cross join w
    cross join lateral (${pairLabelsSql('m.')}) l
    left join lateral (
      select ask_balance, give_balance from price_levels where ask_currency = m.base and give_currency = m.quote
      order by price desc limit 1
    ) bid on true
    left join lateral (
      select ask_balance, give_balance from price_levels where ask_currency = m.quote and give_currency = m.base
      order by price desc limit 1
    ) ask on true
    cross join lateral (${DAY_SQL}
    ) day`;

const MARKETS = defineQuery<[newest: number, base: Currency, quote: Currency, rowLimit: number], MarketRow>({
  name: 'markets',
  parameters: { newest: 'integer', base: 'bytea', quote: 'bytea', row_limit: 'integer' },
  select: marketsSql(`
      select ${MARKET_COLUMNS} from markets
      where (last_height, base, quote) < (:newest - 1, :base, :quote)
      order by last_height desc, base desc, quote desc limit :row_limit`),
});

/** Reads a market; no row if it has neither trades nor open orders. */
export const getMarket = queryFunction<[base: Currency, quote: Currency], MarketRow>({
  name: 'market',
  parameters: { base: 'bytea', quote: 'bytea' },
  select: marketsSql(`select ${MARKET_COLUMNS} from markets where base = :base and quote = :quote`),
});

/** The markets with the newest trade first; then, by their ids downwards, the markets without a trade. */
export const MARKET_LIST = defineList<AllEntriesSelection, MarketKey, MarketRow>({
  name: () => 'market',
  fields: { newest: 'int32', base: 'optionalHash', quote: 'optionalHash' },
  sortKey: ({ last_height, base, quote }) => ({ newest: last_height + 1, base, quote }),
  read: (store, { after, limit }) =>
    store.query(MARKETS, after?.newest ?? MAX_HEIGHT, after?.base ?? '', after?.quote ?? '', limit),
});

/**
 * `by_volume`: of the day, in coins; markets of two tokens count as without. `by_change`: of the day. Those with the highest value
 * come first, those without one last, in the order of {@link MARKET_LIST}.
 */
type MarketSort = 'by_volume' | 'by_change';

/** The value of a market `m` with its `day`: from 0 on; null for none. A price falls by less than 100 %. */
const RANKS: Readonly<Record<MarketSort, string>> = {
  by_volume: `case when m.quote = '' then nullif(day.day_quote_volume, 0) end`,
  by_change: `case when m.quote > '' or ${COIN_DEPTH_SQL} >= :least_depth then day.day_change + 1e${CHANGE_DECIMALS} end`,
};

interface RankedSelection {
  /** Where orders offer fewer coins for the base, at half of the last price or more, a change says nothing. */
  readonly leastDepth: Atoms;
}

interface RankedMarketRow extends MarketRow {
  /** −1 for none. */
  readonly rank: bigint;
}

interface RankedMarketKey extends MarketKey {
  readonly rank: bigint;
}

/**
 * Only the markets with a trade in the day are ranked, for each page again: the values change with every block. The others follow
 * along their index.
 */
function rankedMarketList(sort: MarketSort) {
  const query = defineQuery<
    [rank: bigint | 'Infinity', newest: number, base: Currency, quote: Currency, rowLimit: number, leastDepth: Atoms],
    RankedMarketRow
  >({
    name: `markets_${sort}`,
    parameters: {
      ...{ rank: 'numeric', newest: 'integer', base: 'bytea', quote: 'bytea', row_limit: 'integer' },
      least_depth: 'numeric',
    },
    select: marketsSql(
      `
      (select ${MARKET_COLUMNS}, rank from ranked
       where (rank, last_height, base, quote) < (:rank, :newest - 1, :base, :quote)
       order by rank desc, last_height desc, base desc, quote desc limit :row_limit)
      union all
      (select ${MARKET_COLUMNS}, -1 from markets
       where last_height <= coalesce((select eve from w), -1)
         and (last_height, base, quote) < (case when :rank >= 0 then ${MAX_HEIGHT} else :newest - 1 end, :base, :quote)
       order by last_height desc, base desc, quote desc limit :row_limit)
      limit :row_limit`,
      `, ranked as materialized (
      select m.*, coalesce(${RANKS[sort]}, -1) as rank
      from (select ${MARKET_COLUMNS} from markets where last_height > coalesce((select eve from w), -1)) m
      cross join w
      cross join lateral (${DAY_SQL}) day
    )`,
    ),
  });
  return defineList<RankedSelection, RankedMarketKey, RankedMarketRow>({
    name: () => `market ${sort}`,
    fields: { rank: 'bigint', newest: 'int32', base: 'optionalHash', quote: 'optionalHash' },
    sortKey: ({ rank, last_height, base, quote }) => ({ rank, newest: last_height + 1, base, quote }),
    read: (store, { leastDepth, after, limit }) => {
      const { rank = 'Infinity', newest = 0, base = '', quote = '' } = after ?? {};
      return store.query(query, rank, newest, base, quote, limit, leastDepth);
    },
  });
}

const LISTS = {
  by_trade: MARKET_LIST,
  by_volume: rankedMarketList('by_volume'),
  by_change: rankedMarketList('by_change'),
} as const;

/** The orders of markets; the first is that of {@link MARKET_LIST}. */
export type MarketOrder = keyof typeof LISTS;
export const MARKET_SORTS = Object.keys(LISTS) as MarketOrder[];

/** Returns the markets in an order. Each order has sort keys of its own. */
export const marketList = (order: MarketOrder) => LISTS[order] as unknown as List<RankedSelection, object, MarketRow>;
