/** What changed the balances of several addresses as one wallet: what they sent to each other is netted out. */
import type { Currency } from '../../chain/currency.ts';
import { MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { balanceChangeKindBit } from '../../ledger/balance-change-kinds.ts';
import { batchedQuery, type SnapshotRows, type UnbatchedQueryRunner } from '../read/batched-query.ts';
import {
  type BalanceChangeRow,
  CHANGE_SORT_FIELDS,
  type ChangeSortKey,
  changeSortKey,
  changesWithPlacesSql,
} from './balance-history.ts';
import { currenciesSql } from './balances-at-height.ts';
import { blockAtTimeSql } from './block-lists.ts';
import { type ChainRange, RANGE_COLUMNS, RANGE_SQL, rangeName, rangeParameters } from './chain-points.ts';
import { defineList } from './define-list.ts';
import type { TokenLabelRow } from './tokens.ts';

const RECEIVED = balanceChangeKindBit('received');
const SENT = balanceChangeKindBit('sent');

/** The owners of the parameter `owners`: hex, with commas between. */
export const OWNERS_SQL = `(select decode(o, 'hex') as owner from unnest(string_to_array(q.owners, ',')) o)`;

const history = (name: string, ofCurrency: string) =>
  batchedQuery<
    [
      owners: string,
      currency: Currency | null,
      ...range: ReturnType<typeof rangeParameters>,
      height: number,
      place: number,
      before: Currency,
      rowLimit: number,
    ],
    BalanceChangeRow
  >({
    name,
    parameters: {
      owners: 'text',
      currency: 'bytea',
      ...RANGE_COLUMNS,
      height: 'integer',
      place: 'integer',
      before: 'bytea',
      row_limit: 'integer',
    },
    presenceColumn: 'height',
    select: changesWithPlacesSql(`(${RANGE_SQL}) r
    cross join lateral (
      select g.height, g.position, g.currency, g.change, s.balance, s.locked, g.fee,
             g.kinds & ~${RECEIVED | SENT} | case sign(g.change) when 1 then ${RECEIVED} when -1 then ${SENT} else 0 end as kinds
      from (
        select height, position, currency, bit_or(kinds) as kinds, sum(change) as change, sum(fee) as fee
        from ${OWNERS_SQL} w
        cross join lateral (
          select * from balance_changes
          where owner = w.owner and height >= r.first and height < r.below ${ofCurrency}
            and (height, position, currency) < (q.height, q.place - 1, q.before)
          order by height desc, position desc, currency desc limit q.row_limit
        ) each
        group by height, position, currency
        order by height desc, position desc, currency desc limit q.row_limit
      ) g
      cross join lateral (
        select sum(l.balance) as balance, sum(l.locked) as locked
        from ${OWNERS_SQL} w
        cross join lateral (
          select balance, locked from balance_changes
          where owner = w.owner and currency = g.currency and (height, position) <= (g.height, g.position)
          order by height desc, position desc limit 1
        ) l
      ) s
      order by g.height desc, g.position desc, g.currency desc
    ) c`),
  });

const HISTORY = history('wallet_history', '');
const HISTORY_OF_CURRENCY = history('wallet_history_of_currency', 'and currency = q.currency');

export interface WalletSelection {
  /** Each once. */
  readonly owners: readonly Destination[];
  /** Null: all currencies. */
  readonly currency: Currency | null;
}

export interface WalletHistorySelection extends WalletSelection {
  readonly range: ChainRange;
}

/** The changes of a wallet, newest first. Each page reads some rows of every address, in a statement of its own. */
export const WALLET_HISTORY_LIST = defineList<WalletHistorySelection, ChangeSortKey, BalanceChangeRow>({
  name: ({ owners, currency, range }) =>
    `wallet-history ${owners.toSorted().join()} ${currency ?? 'all'} ${rangeName(range)}`,
  fields: CHANGE_SORT_FIELDS,
  sortKey: changeSortKey,
  read: (store, { owners, currency, range, after, limit }) =>
    store.queryUnbatched(
      currency === null ? HISTORY : HISTORY_OF_CURRENCY,
      owners.join(),
      currency,
      ...rangeParameters(range),
      after?.height ?? MAX_HEIGHT,
      after?.place ?? 0,
      after?.currency ?? '',
      limit,
    ),
});

/** What a wallet had of a currency; the fields but the first are null in the one row of a wallet that had nothing. */
export interface WalletBalanceRow extends TokenLabelRow {
  /** The height after which it had it; −1 before the genesis. */
  readonly height: number;
  readonly currency: Currency | null;
  /** Above zero; time-locked or not. */
  readonly balance: Atoms | null;
  readonly locked: Atoms | null;
}

/** A boundary of a range: the state before the block at a height, or before the first block with at least a time. */
export type Boundary = { readonly height: number } | { readonly time: bigint } | 'tip';

const WALLET_BALANCES = batchedQuery<
  [owners: string, currency: Currency | null, belowHeight: number | null, beforeTime: bigint | null],
  WalletBalanceRow
>({
  name: 'wallet_balances',
  parameters: { owners: 'text', currency: 'bytea', below_height: 'integer', before_time: 'bigint' },
  presenceColumn: 'height',
  select: `
    select b.height, c.currency, c.balance, c.locked, k.ticker, k.decimals, n.metadata
    from (
      select case when q.before_time is not null
                  then coalesce((select a.height from (${blockAtTimeSql('q.before_time - 1')}) a), -1)
                  else least(coalesce(q.below_height - 1, t.height), t.height) end as height
      offset 0
    ) b
    left join lateral (
      select e.currency, sum(e.balance) as balance, sum(e.locked) as locked
      from ${OWNERS_SQL} w
      cross join lateral (${currenciesSql('w.owner')}) e
      where q.currency is null or e.currency = q.currency
      group by e.currency having sum(e.balance) > 0
      order by e.currency
    ) c on true
    left join lateral (select ticker, decimals from tokens where c.currency > '' and token_id = c.currency offset 0) k on true
    left join lateral (select metadata from nfts where c.currency > '' and token_id = c.currency offset 0) n on true`,
});

/** Reads what a wallet had at a boundary of a range: at least one row. */
export function listWalletBalances(
  store: UnbatchedQueryRunner,
  { owners, currency }: WalletSelection,
  boundary: Boundary,
): Promise<SnapshotRows<WalletBalanceRow>> {
  const height = typeof boundary === 'object' && 'height' in boundary ? boundary.height : null;
  const time = typeof boundary === 'object' && 'time' in boundary ? boundary.time : null;
  return store.queryUnbatched(WALLET_BALANCES, owners.join(), currency, height, time);
}
