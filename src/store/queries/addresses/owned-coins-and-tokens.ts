/** All that the addresses of a wallet own: held, staked, in orders and in HTLCs, and what it is worth in coins. */
import { DAY_SECONDS } from '../../../chain/calendar.ts';
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import type { List, NotNull } from '../lists/define-list.ts';
import { COIN_DEPTH_SQL } from '../orders/markets.ts';
import { CURRENCY_LABEL_COLUMNS, currencyLabelJoinsSql, type TokenLabelRow } from '../tokens/tokens.ts';
import { WALLET_OWNERS_SQL } from '../wallets/wallet-owners.ts';

/** What a wallet owns of a currency. The coin comes first, then what is worth most, then by id. */
export interface OwnedRow extends TokenLabelRow {
  /** Null in the one row of a wallet that owns nothing. */
  readonly currency: Currency | null;
  /** All of it. The next fields are its parts. */
  readonly amount: Atoms;
  readonly spendable: Atoms;
  readonly locked: Atoms;
  readonly pools: Atoms;
  readonly delegations: Atoms;
  /** What orders hold that it may conclude. */
  readonly orders: Atoms;
  readonly htlcs: Atoms;
  /**
   * In coins by the last trade of the 30 days before the tip, rounded down, but at most what open orders offer at half of
   * its price or more. Null for a frozen token, and where they offer less than the least depth.
   */
  readonly coin_value: Atoms | null;
  /** The time of the block of that trade. */
  readonly traded_at: number | null;
  /** Of all tokens together, also those beyond the limit. */
  readonly tokens_value: Atoms;
  readonly token_count: number;
}

/** The seconds before the tip in which a trade says what a token is worth. */
const TRADE_SECONDS = 30 * DAY_SECONDS;

const ofWallet = (columns: string, table: string): string => `
        select ${columns} from ${WALLET_OWNERS_SQL} join ${table}`;

type OwnedParameters = [
  owners: readonly Destination[],
  leastDepth: Atoms,
  value: Atoms | null,
  currency: Currency | null,
  rowLimit: number | null,
];

/** Of open HTLCs it has what may be refunded, now or later: what may only be claimed is not the wallet's own yet. */
const OWNED = defineQuery<OwnedParameters, OwnedRow>({
  name: 'owned',
  parameters: { owners: 'bytea[]', least_depth: 'numeric', amount: 'numeric', currency: 'bytea', row_limit: 'integer' },
  select: `
    select a.*, c.*, ${CURRENCY_LABEL_COLUMNS}
    from (select 1) one
    left join lateral (
      select * from (
        select p.*, e.traded_at, sum(s.value) over () as in_tokens, count(*) filter (where p.currency > '') over () as tokens,
               case when p.currency = '' then p.amount else s.value end as coin_value
        from (
          select currency, sum(spendable) as spendable, sum(locked) as locked, sum(pools) as pools, sum(delegations) as delegations,
                 sum(orders) as orders, sum(htlcs) as htlcs, sum(spendable + locked + pools + delegations + orders + htlcs) as amount
          from (
            ${[
              ofWallet(
                'b.currency, b.amount as spendable, b.locked, 0 as pools, 0 as delegations, 0 as orders, 0 as htlcs',
                'balances b on b.owner = w.owner',
              ),
              ofWallet(
                `'', 0, 0, p.staker_balance, 0, 0, 0`,
                'pools p on p.decommission_destination = w.owner and p.staker_balance > 0',
              ),
              ofWallet(`'', 0, 0, 0, g.balance, 0, 0`, 'delegations g on g.spend_destination = w.owner'),
              ofWallet(
                'h.currency, 0, 0, 0, 0, h.amount, 0',
                `orders o on o.conclude_destination = w.owner and not o.is_concluded
        cross join lateral (values (o.give_currency, o.give_balance), (o.ask_currency, o.initially_asked - o.ask_balance)) h (currency, amount)`,
              ),
              ...[
                'u.owner = w.owner and (u.refund_height is not null or u.refund_time is not null) and u.refund_owner is null',
                'u.refund_owner = w.owner and u.refund_owner <> u.owner',
              ].map((may) =>
                // Each owner's by itself: joined, all HTLCs of the chain are read where the planner expects few owners of many.
                ofWallet(
                  'u.htlc_currency, 0, 0, 0, 0, 0, u.htlc_amount',
                  `lateral (select * from utxos u where ${may} and u.htlc_amount > 0 offset 0) u on true`,
                ),
              ),
            ].join(' union all ')}
          ) each
          group by currency having sum(spendable + locked + pools + delegations + orders + htlcs) > 0
        ) p
        left join lateral (
          select m.last_base, m.last_quote, b.timestamp as traded_at,
                 ${COIN_DEPTH_SQL} as depth
          from markets m join blocks b on b.height = m.last_height
          where p.currency > '' and m.base = p.currency and m.quote = '' and b.timestamp > (select timestamp from chain_tip) - ${TRADE_SECONDS}
        ) e on true
        left join lateral (
          select least(div(p.amount * e.last_quote, e.last_base), e.depth) as value
          where e.depth >= :least_depth and not exists (select from tokens where token_id = p.currency and is_frozen)
        ) s on true
      ) v
      where :currency is null
            or v.currency > '' and (:currency = '' or (-coalesce(v.coin_value, -1), v.currency) > (-:amount, :currency))
      order by currency > '', coin_value desc nulls last, currency limit :row_limit
    ) c on true
    cross join lateral (select coalesce(c.in_tokens, 0) as tokens_value, coalesce(c.tokens, 0)::integer as token_count) a${currencyLabelJoinsSql('c.currency')}`,
});

/** A row with a currency. */
export type OwnedEntryRow = NotNull<OwnedRow, 'currency'>;

interface OwnedSelection {
  readonly owners: readonly Destination[];
  /** The coins that open orders must offer for a token, at half of the last price or more, for it to have a value. */
  readonly leastDepth: Atoms;
}

export interface OwnedKey {
  /** In coins; −1 for none. */
  readonly value: Atoms;
  readonly currency: Currency;
}

/** What a wallet owns, by currency: at least one row. Values change with blocks. */
export const OWNED_LIST: List<OwnedSelection, OwnedKey, OwnedRow, OwnedEntryRow, null> = {
  name: ({ owners }) => `owned ${owners.join()}`,
  fields: { value: 'bigint', currency: 'optionalHash' },
  sortKey: ({ coin_value, currency }) => ({ value: coin_value ?? -1n, currency }),
  isEntry: (row): row is OwnedEntryRow => row.currency !== null,
  read: (store, { owners, leastDepth, after, limit }) =>
    store.query(OWNED, owners, leastDepth, after?.value ?? null, after?.currency ?? null, limit),
};

/** Reads the coins of each owner in pools that it may decommission and in its delegations, in any order. */
export const listStaked = queryFunction<[owners: readonly Destination[]], StakedRow>({
  name: 'staked_of_owners',
  parameters: { owners: 'bytea[]' },
  select: `
    select w.owner, coalesce((select sum(staker_balance) from pools where decommission_destination = w.owner), 0)
                    + coalesce((select sum(balance) from delegations where spend_destination = w.owner), 0) as staked
    from ${WALLET_OWNERS_SQL}`,
});

interface StakedRow {
  readonly owner: Destination;
  readonly staked: Atoms;
}
