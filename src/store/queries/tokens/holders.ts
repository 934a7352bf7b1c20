/** The holders of a currency, the largest first, ties by owner. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import { type ChainPoint, sqlParametersOfPoint } from '../blocks/chain-points.ts';
import { defineList, type List } from '../lists/define-list.ts';
import { walksFromSortKeySql } from '../lists/keyset.ts';
import type { SortFields } from '../lists/sort-key-text.ts';

/** The fields of the holder are null in the one row of a list that has no holders after the page's beginning. */
export interface HolderRow {
  /** True for the coin and for every token and NFT that was issued. */
  readonly exists: boolean;
  /** The decimals; null for the coin and for NFTs. */
  readonly decimals: number | null;
  readonly circulating_supply: Atoms;
  readonly owner: Destination | null;
  /** Spendable. */
  readonly amount: Atoms | null;
  /** The time-locked amount. */
  readonly locked: Atoms | null;
  /** The sum of both. */
  readonly total: Atoms | null;
}

/** A holder without what is known of the currency. */
export type HolderBalanceRow = {
  readonly [Column in 'owner' | 'amount' | 'locked' | 'total']: NonNullable<HolderRow[Column]>;
};

type HolderParameters = [currency: Currency, after: Atoms | 'Infinity', owner: Destination, rowLimit: number];

const PARAMETERS = { currency: 'bytea', after: 'numeric', owner: 'bytea', row_limit: 'integer' } as const;

/** A column to sort by, and the condition of its index. */
interface Sorting {
  readonly column: string;
  readonly listed: string;
}

const BY_AMOUNT: Sorting = { column: 'amount', listed: 'amount > 0' };
const BY_TOTAL: Sorting = { column: 'total', listed: 'true' };

const balancesSql = ({ column, listed }: Sorting) => `${walksFromSortKeySql({
  table: 'balances',
  where: `currency = :currency and ${listed}`,
  columns: 'owner, amount, locked, total',
  key: column,
  id: 'owner',
  place: 'after',
})}
      limit :row_limit`;

function holders(name: string, sorting: Sorting) {
  return defineQuery<HolderParameters, HolderRow>({
    name,
    parameters: PARAMETERS,
    select: `
    select c.*, h.owner, h.amount, h.locked, h.total
    from (
      select :currency = '' or k.token_id is not null or n.token_id is not null as exists,
             k.decimals, coalesce(s.circulating_supply, 0) as circulating_supply
      from (select 1) one
      left join statistics s on s.currency = :currency
      left join tokens k on k.token_id = :currency
      left join nfts n on n.token_id = :currency
    ) c
    left join lateral (${balancesSql(sorting)}
    ) h on true`,
  });
}

const HOLDERS_BY_AMOUNT = holders('holders_by_amount', BY_AMOUNT);
const HOLDERS_BY_TOTAL = holders('holders_by_total', BY_TOTAL);

const HOLDER_BALANCES = defineQuery<HolderParameters, HolderBalanceRow>({
  name: 'holder_balances',
  parameters: PARAMETERS,
  select: balancesSql(BY_TOTAL),
});

/** `amount`: by what can be spent now, holders of nothing else left out; `total`: by spendable and time-locked together. */
export type HolderListSort = 'amount' | 'total';

export interface HolderSortKey {
  /** The spendable amount or the total, by which the list is sorted. */
  readonly amount: Atoms;
  readonly owner: Destination;
}

const FIELDS: SortFields<HolderSortKey> = { amount: 'bigint', owner: 'bytes' };

interface OfCurrency {
  readonly currency: Currency;
}

/** A row of {@link HOLDER_LISTS} with a holder. */
export type ListedHolderRow = HolderRow & HolderBalanceRow;

function holderList(order: HolderListSort): List<OfCurrency, HolderSortKey, HolderRow, ListedHolderRow> {
  const query = order === 'amount' ? HOLDERS_BY_AMOUNT : HOLDERS_BY_TOTAL;
  return {
    name: ({ currency }) => `holders ${order} ${currency}`,
    fields: FIELDS,
    sortKey: (row) => ({ amount: row[order], owner: row.owner }),
    isEntry: (row): row is ListedHolderRow => row.owner !== null,
    read: (store, { currency, after, limit }) =>
      store.query(query, currency, after?.amount ?? 'Infinity', after?.owner ?? '', limit),
  };
}

/** The holders of a token, of an NFT, or of the coin. At least one row, which says whether there is such a currency. */
export const HOLDER_LISTS = { amount: holderList('amount'), total: holderList('total') };

interface HoldersAt extends OfCurrency {
  /** As a request names it. */
  readonly point: ChainPoint | null;
}

/** The name and order of a list of holders after a block; its rows come from a snapshot. */
export const PAST_HOLDER_LIST: Omit<List<HoldersAt, HolderSortKey, HolderRow, ListedHolderRow>, 'read'> = {
  ...HOLDER_LISTS.total,
  name: ({ currency, point }) => `holders at ${sqlParametersOfPoint(point).join(' ')} ${currency}`,
};

/** The list by the total, for a known currency: no row if the currency has no holders, or does not exist. */
export const HOLDER_BALANCE_LIST = defineList<OfCurrency, HolderSortKey, HolderBalanceRow>({
  name: HOLDER_LISTS.total.name,
  fields: FIELDS,
  sortKey: ({ total, owner }) => ({ amount: total, owner }),
  read: (store, { currency, after, limit }) =>
    store.query(HOLDER_BALANCES, currency, after?.amount ?? 'Infinity', after?.owner ?? '', limit),
});
