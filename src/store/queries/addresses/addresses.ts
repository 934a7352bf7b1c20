/** Balances and transaction history of an address. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';
import { boundedCountSql } from '../lists/bounded-count.ts';

export interface AddressRow {
  /** Spendable coins; null for none. */
  readonly coins: Atoms | null;
  /** Time-locked coins; null for none. */
  readonly locked_coins: Atoms | null;
  /** A word per token and its spendable balance, in the order of their ids: `id:atoms:decimals`, or `id:atoms:nft`. */
  readonly tokens: string;
  /** Ids of transactions, newest first, `","` between them. */
  readonly history: string;
  /** The number of those ids. */
  readonly history_length: number;
}

/** The tokens of which an owner has a spendable balance. */
const TOKENS_HELD = `
        select b.currency, b.amount
        from balances b where b.owner = :owner and b.currency > '' and b.amount > 0`;

/** Those of which an owner ever had one, even one of 0; a descent of the index for each. */
const TOKENS_EVER_HELD = `
        with recursive touched as (
          (select currency from balance_changes where owner = :owner and currency > '' order by currency limit 1)
          union all
          select (select n.currency from balance_changes n
                  where n.owner = :owner and n.currency > touched.currency order by n.currency limit 1)
          from touched where touched.currency is not null
        )
        ${TOKENS_HELD}
        union all
        select t.currency, 0
        from touched t
        where not exists (select from balances b where b.owner = :owner and b.currency = t.currency and b.amount > 0)
          and exists (
            select from balance_changes c
            where c.owner = :owner and c.currency = t.currency and (c.balance > c.locked or c.balance = 0)
          )`;

const addressQuery = (name: string, tokens: string) =>
  defineQuery<[owner: Destination, historyLimit: number], AddressRow>({
    name,
    parameters: { owner: 'bytea', history_limit: 'bigint' },
    select: `
    select c.amount as coins, c.locked as locked_coins, k.tokens, h.history, h.history_length
    from (
      select coalesce(string_agg(encode(tx_id, 'hex'), '","'), '') as history, count(*) as history_length
      from (
        select tx_id from address_transactions where owner = :owner order by tx_index desc limit :history_limit
      ) newest
    ) h
    cross join (
      select coalesce(string_agg(word, ' '), '') as tokens
      from (
        select encode(b.currency, 'hex') || ':' || b.amount || ':' || coalesce(k.decimals::text, 'nft') as word
        from (${tokens}) b
        left join tokens k on k.token_id = b.currency
        order by b.currency
      ) ordered
    ) k
    left join balances c on c.owner = :owner and c.currency = ''`,
  });

const ADDRESS = {
  held: addressQuery('address', TOKENS_HELD),
  'ever held': addressQuery('address_ever', TOKENS_EVER_HELD),
};

/** The tokens of an address: those that it has, or all that it ever had, with a balance of 0 for those that it has no more. */
export type AddressTokens = keyof typeof ADDRESS;

/** An address with its newest transactions, `limit` at most: always one row. */
export function getAddress(
  store: QueryRunner,
  {
    owner,
    limit,
    tokens = 'held',
  }: { readonly owner: Destination; readonly limit: number; readonly tokens?: AddressTokens },
): Promise<SnapshotRows<AddressRow>> {
  return store.query(ADDRESS[tokens], owner, limit);
}

/** The number of entries of each list of an address, as {@link boundedCountSql} counts them. */
export interface AddressCountsRow {
  readonly unlocks: number;
  readonly transactions: number;
  readonly utxos: number;
  readonly delegations: number;
  readonly pools: number;
  readonly orders: number;
  readonly nfts: number;
  readonly authority: number;
  readonly htlcs: number;
}

/** Reads how many entries each list of an address has, by the conditions of the lists: always one row. */
export const getAddressCounts = queryFunction<[owner: Destination], AddressCountsRow>({
  name: 'address_counts',
  parameters: { owner: 'bytea' },
  select: `
    select
      ${boundedCountSql(
        `utxos where owner = :owner and unlock_height is not null
         union all select from utxos where owner = :owner and unlock_time is not null`,
      )} as unlocks,
      ${boundedCountSql('address_transactions where owner = :owner')} as transactions,
      ${boundedCountSql(
        `utxos where owner = :owner
         union all select from utxos where refund_owner = :owner and refund_owner <> owner`,
      )} as utxos,
      ${boundedCountSql('delegations where spend_destination = :owner')} as delegations,
      ${boundedCountSql('pools where decommission_destination = :owner and staker_balance > 0')} as pools,
      ${boundedCountSql('orders where conclude_destination = :owner and not is_concluded')} as orders,
      ${boundedCountSql('nfts where owner = :owner')} as nfts,
      ${boundedCountSql('tokens where authority = :owner')} as authority,
      ${boundedCountSql(
        `utxos where owner = :owner and (refund_height is not null or refund_time is not null)
         union all select from utxos where refund_owner = :owner and refund_owner <> owner`,
      )} as htlcs`,
});

/** Reads currencies of which an address holds something: the coin, then tokens and NFTs by id. */
export const listHeldCurrencies = queryFunction<
  [owner: Destination, rowLimit: number],
  { readonly currency: Currency }
>({
  name: 'held_currencies',
  parameters: { owner: 'bytea', row_limit: 'integer' },
  select: 'select currency from balances where owner = :owner order by currency limit :row_limit',
});
