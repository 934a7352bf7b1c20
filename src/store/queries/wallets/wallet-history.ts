/** What changed the balances of several addresses as one wallet: what they sent to each other is netted out. */
import { COIN, type Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { balanceChangeKindBit } from '../../../ledger/balance-change-kinds.ts';
import { type BoundQuery, boundQuery, defineQuery, type QueryRunner, type SnapshotRows } from '../../read/query.ts';
import {
  type BalanceChangeRow,
  CHANGE_ORDER,
  type ChangeSortKey,
  changesWithBlocksSql,
  PAGE_OF_CURRENCY_SQL,
  PAGE_SQL,
  PLACE_COLUMNS,
  placeParameters,
} from '../addresses/balance-history.ts';
import { currenciesSql } from '../addresses/balances-at-height.ts';
import { blockAtTimeSql } from '../blocks/block-lists.ts';
import { type ChainRange, RANGE_SQL, rangeName } from '../blocks/chain-points.ts';
import { defineList, type List } from '../lists/define-list.ts';
import { CURRENCY_LABEL_COLUMNS, currencyLabelJoinsSql, type TokenLabelRow } from '../tokens/tokens.ts';
import { WALLET_OWNERS_SQL } from './wallet-owners.ts';

const RECEIVED = balanceChangeKindBit('received');
const SENT = balanceChangeKindBit('sent');

/** What changes `g` of a wallet were: received or sent as the sum says. */
const walletKindsSql = `
             g.kinds & ~${RECEIVED | SENT} | case sign(g.change) when 1 then ${RECEIVED} when -1 then ${SENT} else 0 end as kinds`;

const history = (name: string, { where, order }: typeof PAGE_SQL) =>
  defineQuery<
    [
      owners: readonly Destination[],
      currency: Currency | null,
      ...place: ReturnType<typeof placeParameters>,
      rowLimit: number,
    ],
    BalanceChangeRow
  >({
    name,
    parameters: { owners: 'bytea[]', currency: 'bytea', ...PLACE_COLUMNS, row_limit: 'integer' },
    select: changesWithBlocksSql(`(${RANGE_SQL}) r
    cross join lateral (
      select g.height, g.position, g.currency, g.change, s.balance, s.locked, g.fee, ${walletKindsSql}
      from (
        select height, position, currency, bit_or(kinds) as kinds, sum(change) as change, sum(fee) as fee
        from ${WALLET_OWNERS_SQL}
        cross join lateral (
          select * from balance_changes
          where owner = w.owner and ${where}
          order by ${order} limit :row_limit
        ) each
        group by height, position, currency
        order by height desc, position desc, currency desc limit :row_limit
      ) g
      cross join lateral (
        select sum(l.balance) as balance, sum(l.locked) as locked
        from ${WALLET_OWNERS_SQL}
        cross join lateral (
          select balance, locked from balance_changes
          where owner = w.owner and currency = g.currency and (height, position) <= (g.height, g.position)
          order by height desc, position desc limit 1
        ) l
      ) s
      order by g.height desc, g.position desc, g.currency desc
    ) c`),
  });

const HISTORY = history('wallet_history', PAGE_SQL);
const HISTORY_OF_CURRENCY = history('wallet_history_of_currency', PAGE_OF_CURRENCY_SQL);

/**
 * All changes after a row. The balance of the wallet after each of them is the sum of the changes up to there: so each row of
 * its addresses is read once, from the first on, whatever the range.
 */
const HISTORY_EXPORT = defineQuery<
  [owners: readonly Destination[], currency: Currency | null, ...place: ReturnType<typeof placeParameters>],
  BalanceChangeRow
>({
  name: 'wallet_history_export',
  parameters: { owners: 'bytea[]', currency: 'bytea', ...PLACE_COLUMNS },
  select: changesWithBlocksSql(`(${RANGE_SQL}) r
    cross join lateral (
      select * from (
        select g.height, g.position, g.currency, g.change, g.fee, ${walletKindsSql},
               sum(g.change) over w as balance, sum(g.locked_change) over w as locked
        from (
          select height, position, currency, bit_or(kinds) as kinds, sum(change) as change, sum(fee) as fee,
                 sum(locked_change) as locked_change
          from (
            select c.*, c.locked - lag(c.locked, 1, 0::numeric) over (partition by c.owner, c.currency order by c.height, c.position) as locked_change
            from ${WALLET_OWNERS_SQL}
            join balance_changes c on c.owner = w.owner and (:currency is null or c.currency = :currency)
          ) each
          group by height, position, currency
        ) g
        window w as (partition by g.currency order by g.height, g.position)
      ) c
      where height >= r.first and height < r.below and (height, position, currency) < (:height, :place - 1, :before)
      order by height desc, position desc, currency desc
    ) c`),
});

export interface WalletSelection {
  /** Each once. */
  readonly owners: readonly Destination[];
  /** Null: all currencies. */
  readonly currency: Currency | null;
}

interface WalletHistorySelection extends WalletSelection {
  readonly range: ChainRange;
}

/** The changes of a wallet, newest first. Each page reads some rows of every address, in a statement of its own. */
export const WALLET_HISTORY_LIST = defineList<WalletHistorySelection, ChangeSortKey, BalanceChangeRow>({
  name: ({ owners, currency, range }) =>
    `wallet-history ${owners.toSorted().join()} ${currency ?? 'all'} ${rangeName(range)}`,
  ...CHANGE_ORDER,
  read: (store, { owners, currency, range, after, limit }) =>
    store.queryLong(
      currency === null ? HISTORY : HISTORY_OF_CURRENCY,
      owners,
      currency,
      ...placeParameters(range, after),
      limit,
    ),
});

/** The query of all changes after a row, newest first, and its parameters. */
export function walletHistoryExportQuery(
  { owners, currency, range }: WalletHistorySelection,
  after: ChangeSortKey | null,
): BoundQuery<BalanceChangeRow> {
  return boundQuery(HISTORY_EXPORT, owners, currency, ...placeParameters(range, after));
}

/** What a wallet had of a currency; the fields but the first are null in the one row of a wallet that had nothing. */
export interface PastWalletBalanceRow extends TokenLabelRow {
  /** The height after which it had it; −1 before the genesis. */
  readonly height: number;
  /** Of that block; null before the genesis. */
  readonly timestamp: number | null;
  readonly currency: Currency | null;
  /** Above zero; time-locked or not. */
  readonly balance: Atoms | null;
  readonly locked: Atoms | null;
}

/** A boundary of a range: the state before the block at a height, or before the first block with at least a time. */
type Boundary = { readonly height: number } | { readonly time: bigint } | 'tip';

const WALLET_BALANCES = defineQuery<
  [
    owners: readonly Destination[],
    currency: Currency | null,
    belowHeight: number | null,
    beforeTime: bigint | null,
    after: Currency | null,
  ],
  PastWalletBalanceRow
>({
  name: 'wallet_balances_at',
  parameters: { owners: 'bytea[]', currency: 'bytea', below_height: 'integer', before_time: 'bigint', after: 'bytea' },
  select: `
    select b.height, (select timestamp from blocks where height = b.height) as timestamp, c.currency, c.balance, c.locked,
           ${CURRENCY_LABEL_COLUMNS}
    from (
      select case when :before_time is not null
                  then coalesce((select a.height from (${blockAtTimeSql(':before_time - 1')}) a), -1)
                  else least(coalesce(:below_height - 1, (select height from chain_tip)), (select height from chain_tip)) end as height
      offset 0
    ) b
    left join lateral (
      select e.currency, sum(e.balance) as balance, sum(e.locked) as locked
      from ${WALLET_OWNERS_SQL}
      cross join lateral (${currenciesSql('w.owner')}) e
      where (:currency is null or e.currency = :currency) and (:after is null or e.currency > :after)
      group by e.currency having sum(e.balance) > 0
      order by e.currency
    ) c on true${currencyLabelJoinsSql('c.currency')}`,
});

interface WalletBalancesSelection extends WalletSelection {
  readonly boundary: Boundary;
}

/** The key of what a wallet has of a currency. The coin comes first. */
interface CurrencyKey {
  readonly currency: Currency;
}

/** The order of what a wallet has, for exports. */
export const WALLET_BALANCES_LIST: Pick<
  List<WalletBalancesSelection, CurrencyKey, PastWalletBalanceRow>,
  'name' | 'fields' | 'sortKey' | 'isEntry'
> = {
  name: ({ owners, currency, boundary }) =>
    `wallet-balances ${owners.toSorted().join()} ${currency ?? 'all'} ${boundaryName(boundary)}`,
  fields: { currency: 'optionalHash' },
  sortKey: ({ currency }) => ({ currency: currency ?? COIN }),
  isEntry: (row): row is PastWalletBalanceRow => row.currency !== null,
};

function boundaryName(boundary: Boundary): string {
  if (typeof boundary === 'string') return boundary;
  return 'height' in boundary ? `below ${boundary.height}` : `before ${boundary.time}`;
}

/** The query, with parameters, of a wallet's past balances in the currencies that follow `after`. */
export function walletBalancesQuery(
  { owners, currency, boundary }: WalletBalancesSelection,
  after: CurrencyKey | null,
): BoundQuery<PastWalletBalanceRow> {
  const height = typeof boundary === 'object' && 'height' in boundary ? boundary.height : null;
  const time = typeof boundary === 'object' && 'time' in boundary ? boundary.time : null;
  return boundQuery(WALLET_BALANCES, owners, currency, height, time, after?.currency ?? null);
}

/** Reads what a wallet had at a boundary of a range: at least one row. */
export function listWalletBalancesAt(
  store: QueryRunner,
  selection: WalletBalancesSelection,
): Promise<SnapshotRows<PastWalletBalanceRow>> {
  const { query, parameters } = walletBalancesQuery(selection, null);
  return store.queryLong(query, ...parameters);
}
