/** Fills of orders, newest first: the trades of a market, and those of one order. */
import type { Currency } from '../../../chain/currency.ts';
import type { Market } from '../../../chain/market.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { boundQuery, defineQuery, type Query } from '../../read/query.ts';
import { type ChainRange, RANGE_COLUMNS, RANGE_SQL, rangeName, rangeParameters } from '../blocks/chain-points.ts';
import { defineExportableList, type List, type ListOrder, type NotNull } from '../lists/define-list.ts';
import { type PairLabelsRow, pairLabelsSql } from './market-labels.ts';

/** The fields of the fill are null in the one row of a market or order without fills after the page's beginning. */
interface FillRow extends PairLabelsRow, Market {
  /** Are both currencies issued, or is there such a market? */
  readonly exists: boolean;
  readonly height: number | null;
  readonly position: number | null;
  readonly input_index: number | null;
  /** Did the taker buy base? */
  readonly is_buy: boolean | null;
  /** Of the block, in seconds since the epoch. */
  readonly timestamp: number | null;
  readonly order_id: Id | null;
  readonly base_amount: Atoms | null;
  readonly quote_amount: Atoms | null;
  /** Its price: a ratio of two amounts. Both are null where one of the moved amounts is 0. */
  readonly price_base: Atoms | null;
  readonly price_quote: Atoms | null;
  readonly taker: Destination | null;
  readonly tx_id: Id | null;
}

/** A row with a fill. */
export type FillEntryRow = NotNull<
  FillRow,
  Exclude<keyof FillRow, keyof PairLabelsRow | keyof Market | 'exists' | 'price_base' | 'price_quote' | 'taker'>
>;

interface FillKey {
  readonly height: number;
  readonly position: number;
  readonly inputIndex: number;
}

type Place = [height: number, position: number, inputIndex: number, rowLimit: number | null];
const PLACE = { height: 'integer', position: 'integer', input_index: 'integer', row_limit: 'integer' } as const;

/** `market`: a subquery of the columns base and quote; `where`: of its fills. */
const fills = (market: string, where: string) => `
    select m.base, m.quote, l.*, f.height, f.position, f.input_index, f.is_buy, f.timestamp, f.order_id, f.base_amount,
           f.quote_amount, f.price_base, f.price_quote, f.taker, f.tx_id
    from (${market}) m
    cross join lateral (${pairLabelsSql('m.')}) l
    left join lateral (
      select v.*, x.tx_id
      from (
        select * from fills
        where ${where} and (height, position, input_index) < (:height, :position, :input_index)
        order by height desc, position desc, input_index desc limit :row_limit
      ) v
      cross join lateral (select first_tx_index from blocks where height = v.height offset 0) b
      cross join lateral (select tx_id from transactions where tx_index = b.first_tx_index + v.position offset 0) x
    ) f on true`;

type TradeParameters = [base: Currency, quote: Currency, ...range: ReturnType<typeof rangeParameters>, ...Place];

const TRADES: Query<TradeParameters, FillRow> = defineQuery({
  name: 'trades',
  parameters: { base: 'bytea', quote: 'bytea', ...RANGE_COLUMNS, ...PLACE },
  select: fills(
    `select :base as base, :quote as quote, r.first, r.below from (${RANGE_SQL}) r offset 0`,
    // One condition on the last height: see balance-history.ts.
    'base = m.base and quote = m.quote and height >= m.first and height <= least(m.below - 1, :height)',
  ),
});

const ORDER_FILLS = defineQuery<[orderId: Id, ...Place], FillRow>({
  name: 'order_fills',
  parameters: { order_id: 'bytea', ...PLACE },
  select: fills(
    `select market_base(ask_currency, give_currency) as base, market_quote(ask_currency, give_currency) as quote
     from orders where order_id = :order_id offset 0`,
    'order_id = :order_id',
  ),
});

function placeAfter(after: FillKey | null, limit: number | null): Place {
  return after === null ? [MAX_HEIGHT, 0, 0, limit] : [after.height, after.position, after.inputIndex, limit];
}

const ORDER: ListOrder<FillKey, FillRow, FillEntryRow> = {
  fields: { height: 'int32', position: 'int32', inputIndex: 'int32' },
  sortKey: ({ height, position, input_index }) => ({ height, position, inputIndex: input_index }),
  isEntry: (row): row is FillEntryRow => row.height !== null,
};

interface TradeSelection {
  readonly market: Market;
  readonly range: ChainRange;
}

/** The trades of a market. At least one row, which says whether there is such a pair. */
export const TRADE_LIST = defineExportableList<TradeSelection, FillKey, FillRow, FillEntryRow>({
  ...ORDER,
  name: ({ market: { base, quote }, range }) => `trades ${base}_${quote} ${rangeName(range)}`,
  query: ({ market: { base, quote }, range }, after, limit) =>
    boundQuery(TRADES, base, quote, ...rangeParameters(range), ...placeAfter(after, limit)),
});

/** The fills of an order. No row if there is no such order. */
export const ORDER_FILL_LIST: List<{ readonly orderId: Id }, FillKey, FillRow, FillEntryRow> = {
  ...ORDER,
  name: ({ orderId }) => `order-fills ${orderId}`,
  read: (store, { orderId, after, limit }) => store.query(ORDER_FILLS, orderId, ...placeAfter(after, limit)),
};
