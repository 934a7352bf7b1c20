/** What changed the balances of an address: a row for each transaction and currency, newest first. */
import { COIN, type Currency } from '../../../chain/currency.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import {
  BALANCE_CHANGE_KINDS,
  type BalanceChangeKind,
  balanceChangeKindBit,
  balanceChangeKinds,
} from '../../../ledger/balance-change-kinds.ts';
import { boundQuery, defineQuery } from '../../read/query.ts';
import { type ChainRange, RANGE_COLUMNS, RANGE_SQL, rangeName, rangeParameters } from '../blocks/chain-points.ts';
import { defineExportableList } from '../lists/define-list.ts';
import { CURRENCY_LABEL_COLUMNS, currencyLabelJoinsSql, type TokenLabelRow } from '../tokens/tokens.ts';

/** A change of a balance, with the label of its currency. */
export interface BalanceChangeRow extends TokenLabelRow {
  readonly height: number;
  /** The position of the transaction in its block; −1 for locks that end with the block; after the last one the reward. */
  readonly position: number;
  readonly currency: Currency;
  /** See {@link balanceChangeKinds}. */
  readonly kinds: number;
  /** Of all that the address has, time-locked or not. */
  readonly change: Atoms;
  /** After the change. */
  readonly balance: Atoms;
  /** The time-locked part of the balance. */
  readonly locked: Atoms;
  /** The fee of the transaction at the owner of its first coin input; 0 elsewhere. */
  readonly fee: Atoms;
  readonly block_id: Id;
  /** Of the block, in seconds since the epoch. */
  readonly timestamp: number;
  /** Null for locks that end, for block rewards, and for the genesis. */
  readonly tx_id: Id | null;
}

/** The kinds of changes. */
export const CHANGE_KINDS = BALANCE_CHANGE_KINDS;

export { balanceChangeKinds };

/** Returns the bits of kinds. */
function kindBits(kinds: readonly BalanceChangeKind[]): number {
  return kinds.reduce((bits, kind) => bits | balanceChangeKindBit(kind), 0);
}

/** The direction of a change: `in` above zero, `out` below. */
export const CHANGE_DIRECTIONS = ['in', 'out'] as const;
type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

const directionBits = (directions: readonly ChangeDirection[]) =>
  directions.reduce((bits, direction) => bits | (1 << CHANGE_DIRECTIONS.indexOf(direction)), 0);

/** The changes that a request wants. */
interface ChangeFilter {
  /** Null: all currencies. */
  readonly currency: Currency | null;
  /** At least one of these; empty: any. */
  readonly kinds: readonly BalanceChangeKind[];
  /** One of these; empty: any, also changes of zero. */
  readonly directions: readonly ChangeDirection[];
  readonly range: ChainRange;
}

interface HistorySelection extends ChangeFilter {
  readonly owner: Destination;
}

/** The key of a row; newer rows come first, and in a transaction higher currencies. */
export interface ChangeSortKey {
  readonly height: number;
  /** The position plus one, so that it is not negative. */
  readonly place: number;
  readonly currency: Currency;
}

export const CHANGE_ORDER = {
  fields: { height: 'int32', place: 'int32', currency: 'optionalHash' },
  sortKey: ({ height, position, currency }: BalanceChangeRow): ChangeSortKey => ({
    height,
    place: position + 1,
    currency,
  }),
} as const;

type PlaceParameters = [...range: ReturnType<typeof rangeParameters>, height: number, place: number, before: Currency];

/** The parameters of a query of the changes of a range after a row. */
export const PLACE_COLUMNS = { ...RANGE_COLUMNS, height: 'integer', place: 'integer', before: 'bytea' } as const;

/** Returns the values of {@link PLACE_COLUMNS}. `after`: null for the newest changes. */
export function placeParameters(range: ChainRange, after: ChangeSortKey | null): PlaceParameters {
  const { height, place, currency } = after ?? { height: MAX_HEIGHT, place: 0, currency: COIN };
  return [...rangeParameters(range), height, place, currency];
}

/** Adds block, transaction and token to changes `c`, as a subquery over `from`. Each is looked up for its row, so the order stays. */
export const changesWithBlocksSql = (from: string) => `
    select c.height, c.position, c.currency, c.kinds, c.change, c.balance, c.locked, c.fee,
           b.block_id, b.timestamp, x.tx_id, ${CURRENCY_LABEL_COLUMNS}
    from ${from}
    cross join lateral (
      select block_id, timestamp, first_tx_index, tx_count from blocks where height = c.height offset 0
    ) b
    left join lateral (
      select tx_id from transactions
      where c.position >= 0 and c.position < b.tx_count and tx_index = b.first_tx_index + c.position offset 0
    ) x on true${currencyLabelJoinsSql('c.currency')}`;

type HistoryParameters = [
  owner: Destination,
  currency: Currency | null,
  kinds: number,
  directions: number,
  ...place: PlaceParameters,
  rowLimit: number | null,
];

/** The changes of a page: the SQL of their condition, and of their order. */
interface PageSql {
  readonly where: string;
  readonly order: string;
}

/**
 * Both upper bounds of the height are joined by `least`. With two conditions, beside a comparison of rows, PostgreSQL starts at
 * the end of the range and walks to the page.
 */
export const PAGE_SQL: PageSql = {
  where: `height >= r.first and height <= least(r.below - 1, :height)
        and (height, position, currency) < (:height, :place - 1, :before)`,
  order: 'height desc, position desc, currency desc',
};

/**
 * The changes of one currency, as a range of the key that begins with it. Otherwise PostgreSQL may walk along the whole history
 * of an owner that has few changes of the currency.
 */
export const PAGE_OF_CURRENCY_SQL: PageSql = {
  where: `(currency, height) >= (:currency, r.first)
        and (currency, height, position) < (:currency, least(r.below, :height), case when r.below <= :height then -2 else :place - 1 end)`,
  order: 'currency desc, height desc, position desc',
};

const history = (name: string, { where, order }: PageSql) =>
  defineQuery<HistoryParameters, BalanceChangeRow>({
    name,
    parameters: {
      owner: 'bytea',
      currency: 'bytea',
      kinds: 'integer',
      directions: 'integer',
      ...PLACE_COLUMNS,
      row_limit: 'integer',
    },
    select: changesWithBlocksSql(`(${RANGE_SQL}) r
    cross join lateral (
      select * from balance_changes
      where owner = :owner and ${where}
        and (:kinds = 0 or kinds & :kinds <> 0)
        and (:directions = 0 or :directions & (case sign(change) when 1 then 1 when -1 then 2 else 0 end) <> 0)
      order by ${order} limit :row_limit
    ) c`),
  });

const HISTORY = history('balance_history', PAGE_SQL);
const HISTORY_OF_CURRENCY = history('balance_history_of_currency', PAGE_OF_CURRENCY_SQL);

/** The name of a filter, for the names of lists. */
const filterName = ({ currency, kinds, directions, range }: ChangeFilter) =>
  `${currency ?? 'all'} ${kindBits(kinds)} ${directionBits(directions)} ${rangeName(range)}`;

/** The changes of an address. A filter by kind or direction may pass over any number of rows, so it has its own statement. */
export const HISTORY_LIST = defineExportableList<HistorySelection, ChangeSortKey, BalanceChangeRow>({
  name: (selection) => `address-history ${selection.owner} ${filterName(selection)}`,
  ...CHANGE_ORDER,
  isEntry: (_): _ is BalanceChangeRow => true,
  query: ({ owner, currency, kinds, directions, range }, after, limit) =>
    boundQuery(
      currency === null ? HISTORY : HISTORY_OF_CURRENCY,
      owner,
      currency,
      kindBits(kinds),
      directionBits(directions),
      ...placeParameters(range, after),
      limit,
    ),
  isLong: ({ kinds, directions }) => kinds.length > 0 || directions.length > 0,
});
