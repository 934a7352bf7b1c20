/** The trades of a market by hour, UTC day or week from Monday on, newest first. */
import type { Currency } from '../../../chain/currency.ts';
import type { Market } from '../../../chain/market.ts';
import type { Atoms } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import type { List, NotNull } from '../lists/define-list.ts';
import { type PairLabelsRow, pairLabelsSql } from './market-labels.ts';

/** The intervals of candles, and their hours. */
export const CANDLE_HOURS = { hour: 1, day: 24, week: 168 } as const;
export type CandleInterval = keyof typeof CANDLE_HOURS;
export const CANDLE_INTERVALS = Object.keys(CANDLE_HOURS) as CandleInterval[];

/** The prices: each a ratio in lowest terms. */
type CandlePrices = {
  readonly [Price in `${'open' | 'high' | 'low' | 'close'}_${'base' | 'quote'}`]: Atoms | null;
};

/** The fields of the candle are null in the one row of a market without candles after the page's beginning. */
export interface CandleRow extends PairLabelsRow, CandlePrices {
  /** Are both currencies issued, or is there such a market? */
  readonly exists: boolean;
  /** Its first second. */
  readonly start: number | null;
  /** Is it over at the tip? */
  readonly is_complete: boolean | null;
  readonly trades: number | null;
  readonly base_volume: Atoms | null;
  readonly quote_volume: Atoms | null;
}

/** A row with a candle. */
export type CandleEntryRow = NotNull<CandleRow, Exclude<keyof CandleRow, keyof PairLabelsRow | 'exists'>>;

/** Later than any candle. */
const END_OF_TIME = 2n ** 62n;

const CANDLES = defineQuery<
  [base: Currency, quote: Currency, hours: number, from: bigint | null, below: bigint, rowLimit: number],
  CandleRow
>({
  name: 'candles',
  parameters: {
    base: 'bytea',
    quote: 'bytea',
    hours: 'smallint',
    from_time: 'bigint',
    below: 'bigint',
    row_limit: 'integer',
  },
  select: `
    select l.*, c.start, c.start + c.hours * 3600 <= (select timestamp from chain_tip) as is_complete, c.trades, c.open_base, c.open_quote, c.high_base,
           c.high_quote, c.low_base, c.low_quote, c.close_base, c.close_quote, c.base_volume, c.quote_volume
    from (${pairLabelsSql(':')}) l
    left join lateral (
      select * from candles
      where base = :base and quote = :quote and hours = :hours and start < :below and start >= coalesce(:from_time, start)
      order by start desc limit :row_limit
    ) c on true`,
});

interface CandleSelection {
  readonly market: Market;
  readonly interval: CandleInterval;
  /** Only candles that start in this range, in seconds since the epoch; null: no bound. */
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/** The candles of a market. At least one row, which says whether there is such a pair. */
export const CANDLE_LIST: List<CandleSelection, { readonly start: Atoms }, CandleRow, CandleEntryRow> = {
  name: ({ market: { base, quote }, interval, from, to }) => `candles ${base}_${quote} ${interval} ${from} ${to}`,
  fields: { start: 'bigint' },
  sortKey: ({ start }) => ({ start: BigInt(start) }),
  isEntry: (row): row is CandleEntryRow => row.start !== null,
  read: (store, { market: { base, quote }, interval, from, to, after, limit }) => {
    const below = after?.start ?? to ?? END_OF_TIME;
    return store.query(CANDLES, base, quote, CANDLE_HOURS[interval], from, below, limit);
  },
};
