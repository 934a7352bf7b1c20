/** What an address holds and took part in. */
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

export interface AddressRow {
  /** Spendable coins; null for none. */
  readonly coins: Atoms | null;
  /** Time-locked coins; null for none. */
  readonly locked_coins: Atoms | null;
  /** One word per token with a spendable balance, in the order of their ids: `id:atoms:decimals`, or `id:atoms:nft`. */
  readonly tokens: string;
  /** Ids of transactions, newest first, `","` between them. */
  readonly history: string;
  /** How many they are, at most what was asked for. */
  readonly history_length: number;
}

/** An address with at most so many of its newest transactions. */
export const ADDRESS = batchedQuery<[owner: Destination, mostTransactions: number], AddressRow>({
  name: 'address',
  asked: { owner: 'bytea', most: 'bigint' },
  key: 'history',
  select: `
    select c.amount as coins, c.locked as locked_coins, k.tokens, h.history, h.history_length
    from (
      select coalesce(string_agg(encode(tx_id, 'hex'), '","'), '') as history, count(*) as history_length
      from (
        select tx_id from address_transactions where owner = q.owner order by tx_index desc limit q.most
      ) newest
    ) h
    cross join (
      select coalesce(string_agg(word, ' '), '') as tokens
      from (
        select encode(b.currency, 'hex') || ':' || b.amount || ':' || coalesce(k.decimals::text, 'nft') as word
        from balances b left join tokens k on k.token_id = b.currency
        where b.owner = q.owner and b.currency > '' and b.amount > 0
        order by b.currency
      ) ordered
    ) k
    left join balances c on c.owner = q.owner and c.currency = ''`,
});

/** The fungible tokens that an address has authority over, by id. */
export const TOKENS_OF_AUTHORITY = batchedQuery<
  [owner: Destination, after: Id, items: number | null],
  { token_id: Id }
>({
  name: 'tokens_of_authority',
  asked: { owner: 'bytea', after: 'bytea', items: 'integer' },
  key: 'token_id',
  select: `
    select token_id from tokens
    where authority = q.owner and token_id > q.after
    order by token_id limit q.items`,
});
