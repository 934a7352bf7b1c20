/** Balances and transaction history of an address. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';

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

/**
 * The coins of an address, and those of its lists that have entries, among the lists that are empty for most addresses.
 */
export interface AddressSummaryRow extends Pick<AddressRow, 'coins' | 'locked_coins'> {
  readonly has_unlocks: boolean;
  readonly has_pools: boolean;
  readonly has_orders: boolean;
  readonly has_nfts: boolean;
  readonly has_authority: boolean;
  readonly has_htlcs: boolean;
}

/**
 * Reads which lists of an address have entries: always one row. A list is empty if this says so, because it has the
 * same condition.
 */
export const getAddressSummary = queryFunction<[owner: Destination], AddressSummaryRow>({
  name: 'address_summary',
  parameters: { owner: 'bytea' },
  select: `
    select c.amount as coins, c.locked as locked_coins,
      exists (select from utxos where owner = :owner and unlock_height is not null)
        or exists (select from utxos where owner = :owner and unlock_time is not null) as has_unlocks,
      exists (select from pools where decommission_destination = :owner and staker_balance > 0) as has_pools,
      exists (select from orders where conclude_destination = :owner and not is_concluded) as has_orders,
      exists (select from nfts where owner = :owner) as has_nfts,
      exists (select from tokens where authority = :owner) as has_authority,
      exists (select from utxos where owner = :owner and (refund_height is not null or refund_time is not null))
        or exists (select from utxos where refund_owner = :owner and refund_owner <> owner) as has_htlcs
    from (select 1) one
    left join balances c on c.owner = :owner and c.currency = ''`,
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
