/** Transactions of the main chain. */
import type { Destination, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

export interface TransactionRow {
  readonly tx_index: number;
  /** The finished base transaction. */
  readonly body: string;
  readonly height: number;
  readonly block_id: Id;
  /** Of the block; seconds since the epoch. */
  readonly timestamp: number;
}

export const TRANSACTION = batchedQuery<[txId: Id], TransactionRow>({
  name: 'transaction',
  asked: { tx_id: 'bytea' },
  key: 'body',
  select: `
    select x.tx_index, x.body, x.height, b.block_id, b.timestamp
    from transactions x join blocks b on b.height = x.height
    where x.tx_id = q.tx_id`,
});

/** The newest transactions below a global index, newest first. Without one, the newest of all but `skipped`. */
export const TRANSACTIONS_BELOW = batchedQuery<[below: number | null, skipped: number, items: number], TransactionRow>({
  name: 'transactions_below',
  asked: { below: 'bigint', skipped: 'bigint', items: 'integer' },
  key: 'body',
  select: `
    select x.tx_index, x.body, x.height, b.block_id, b.timestamp
    from (
      select tx_index, body, height from transactions
      where tx_index < coalesce(q.below, t.transaction_count - q.skipped)
      order by tx_index desc limit q.items
    ) x
    join blocks b on b.height = x.height
    order by x.tx_index desc`,
});

export interface TransactionPlaceRow {
  readonly block_id: Id;
  /** In its block. */
  readonly position: number;
}

/** Where a transaction stands among the transactions of its block. */
export const TRANSACTION_PLACE = batchedQuery<[txId: Id], TransactionPlaceRow>({
  name: 'transaction_place',
  asked: { tx_id: 'bytea' },
  key: 'block_id',
  select: `
    select b.block_id, x.tx_index - b.first_tx_index as position
    from transactions x join blocks b on b.height = x.height
    where x.tx_id = q.tx_id`,
});

export interface TransactionOutputRow {
  /** `{"outpoint":…,"utxo":…`, without the last brace. */
  readonly entry: string;
  readonly spent_height: number | null;
}

/**
 * An output that is, or once was, in the UTXO set. The offset keeps the place of the transaction apart: joined with
 * the outputs, the planner would read those of all the block's transactions.
 */
export const TRANSACTION_OUTPUT = batchedQuery<[txId: Id, index: number], TransactionOutputRow>({
  name: 'transaction_output',
  asked: { tx_id: 'bytea', output_index: 'bigint' },
  key: 'entry',
  select: `
    select o.entry, s.spent_height
    from (
      select x.height, (x.tx_index - b.first_tx_index)::int as position
      from transactions x join blocks b on b.height = x.height
      where x.tx_id = q.tx_id
      offset 0
    ) p
    join outputs o on o.height = p.height and o.position = p.position and o.output_index = q.output_index
    left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index`,
});

/** `tx_id` and `tx_index` are null in the one row of a token without transactions. */
export interface TokenTransactionRow {
  readonly exists: boolean;
  readonly tx_index: number | null;
  readonly tx_id: Id | null;
}

/** The transactions of a token below a global index, newest first, and whether there is such a token or NFT. */
export const TOKEN_TRANSACTIONS_BELOW = batchedQuery<
  [tokenId: Id, below: number, skipped: number, items: number],
  TokenTransactionRow
>({
  name: 'token_transactions_below',
  asked: { token_id: 'bytea', below: 'bigint', skipped: 'bigint', items: 'integer' },
  key: 'exists',
  select: `
    select e.exists, l.tx_index, l.tx_id
    from (
      select k.token_id is not null or n.token_id is not null as exists
      from (select 1) one
      left join tokens k on k.token_id = q.token_id
      left join nfts n on n.token_id = q.token_id
    ) e
    left join lateral (
      select tx_index, tx_id from token_transactions
      where token_id = q.token_id and tx_index < q.below
      order by tx_index desc offset q.skipped limit q.items
    ) l on true`,
});

export interface AddressTransactionRow {
  readonly tx_index: number;
  readonly tx_id: Id;
  readonly height: number;
  readonly timestamp: number;
}

/** The transactions of an address below a global index, newest first. */
export const ADDRESS_TRANSACTIONS_BELOW = batchedQuery<
  [owner: Destination, below: number, items: number],
  AddressTransactionRow
>({
  name: 'address_transactions_below',
  asked: { owner: 'bytea', below: 'bigint', items: 'integer' },
  key: 'tx_id',
  select: `
    select a.tx_index, a.tx_id, b.height, b.timestamp
    from (
      select tx_index, tx_id from address_transactions
      where owner = q.owner and tx_index < q.below
      order by tx_index desc limit q.items
    ) a
    join transactions x on x.tx_index = a.tx_index
    join blocks b on b.height = x.height
    order by a.tx_index desc`,
});
