/** Transactions of the main chain. Lists go from the newest on, by the global index, which counts all of them from 0. */
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { KIND_NUMBERS, TRANSACTION_KINDS, type TransactionKind } from '../../../ledger/transaction-kind.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { defineList, type List, type NotNull, type OwnerSelection } from '../lists/define-list.ts';
import { defineAnchors } from '../lists/keyset.ts';

export interface TransactionRow {
  readonly tx_index: number;
  /** The base transaction as JSON. */
  readonly body: string;
  /** Who gave each of its commands except for fills, as a JSON array of addresses; null without such commands. */
  readonly actors: string | null;
  /** Size with signatures, in bytes. */
  readonly size: number;
  readonly height: number;
  readonly block_id: Id;
  /** The block's timestamp, in seconds since the epoch. */
  readonly timestamp: number;
}

/** The columns of a {@link TransactionRow}. `x`: the transaction; `b`: its block. */
const COLUMNS = 'x.tx_index, x.actors, x.body, x.size, x.height, b.block_id, b.timestamp';

/** Reads a transaction. No row if it is not on the main chain. */
export const getTransaction = queryFunction<[txId: Id], TransactionRow>({
  name: 'transaction',
  parameters: { tx_id: 'bytea' },
  select: `
    select ${COLUMNS}
    from transactions x join blocks b on b.height = x.height
    where x.tx_id = :tx_id`,
});

const TRANSACTIONS_BELOW = defineQuery<[below: number | null, skip: number, rowLimit: number], TransactionRow>({
  name: 'transactions_below',
  parameters: { below: 'bigint', skip: 'bigint', row_limit: 'integer' },
  select: `
    select ${COLUMNS}
    from (
      select tx_index, actors, body, size, height from transactions
      where tx_index < coalesce(:below, (select transaction_count from chain_tip)) - :skip
      order by tx_index desc limit :row_limit
    ) x
    join blocks b on b.height = x.height
    order by x.tx_index desc`,
});

interface TransactionPositionRow {
  readonly block_id: Id;
  /** Among the transactions of the block, from 0 on. */
  readonly position: number;
}

/** Reads the block of a transaction and its position in the block. No row if it is not on the main chain. */
export const getTransactionPosition = queryFunction<[txId: Id], TransactionPositionRow>({
  name: 'transaction_place',
  parameters: { tx_id: 'bytea' },
  select: `
    select b.block_id, x.tx_index - b.first_tx_index as position
    from transactions x join blocks b on b.height = x.height
    where x.tx_id = :tx_id`,
});

interface TransactionOutputRow {
  /** `{"outpoint":…,"utxo":…`, without the last brace. */
  readonly entry: string;
  readonly spent_height: number | null;
}

/** An output that is, or once was, in the UTXO set; no row for any other. */
export const getTransactionOutput = queryFunction<[txId: Id, index: number], TransactionOutputRow>({
  name: 'transaction_output',
  parameters: { tx_id: 'bytea', output_index: 'bigint' },
  // `offset 0` makes PostgreSQL find the transaction's position first: joined with the outputs, it would read those of all the
  // block's transactions.
  select: `
    select o.entry, s.spent_height
    from (
      select x.height, (x.tx_index - b.first_tx_index)::int as position
      from transactions x join blocks b on b.height = x.height
      where x.tx_id = :tx_id
      offset 0
    ) p
    join outputs o on o.height = p.height and o.position = p.position and o.output_index = :output_index
    left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index`,
});

/** `tx_id` and `tx_index` are null in the one row of a list that has no transactions after the page's beginning. */
export interface TokenTransactionRow {
  /** Is there such a token or NFT? */
  readonly exists: boolean;
  readonly tx_index: number | null;
  readonly tx_id: Id | null;
}

const TOKEN_TRANSACTIONS_BELOW = defineQuery<
  [tokenId: Id, below: number, skip: number, rowLimit: number],
  TokenTransactionRow
>({
  name: 'token_transactions_below',
  parameters: { token_id: 'bytea', below: 'bigint', skip: 'bigint', row_limit: 'integer' },
  select: `
    select e.exists, l.tx_index, l.tx_id
    from (
      select k.token_id is not null or n.token_id is not null as exists
      from (select 1) one
      left join tokens k on k.token_id = :token_id
      left join nfts n on n.token_id = :token_id
    ) e
    left join lateral (
      select tx_index, tx_id from token_transactions
      where token_id = :token_id and tx_index < :below
      order by tx_index desc offset :skip limit :row_limit
    ) l on true`,
});

export interface AddressTransactionRow {
  readonly tx_index: number;
  readonly tx_id: Id;
  readonly height: number;
  readonly timestamp: number;
}

const ADDRESS_TRANSACTIONS_BELOW = defineQuery<
  [owner: Destination, below: number, rowLimit: number],
  AddressTransactionRow
>({
  name: 'address_transactions_below',
  parameters: { owner: 'bytea', below: 'bigint', row_limit: 'integer' },
  select: `
    select a.tx_index, a.tx_id, b.height, b.timestamp
    from (
      select tx_index, tx_id from address_transactions
      where owner = :owner and tx_index < :below
      order by tx_index desc limit :row_limit
    ) a
    join transactions x on x.tx_index = a.tx_index
    join blocks b on b.height = x.height
    order by a.tx_index desc`,
});

/** Makes the query for the transactions below a global index, each whole, that `table` has for the value in `column`. */
function wholeTransactions<Value extends Destination | Id | number>(
  name: string,
  table: string,
  column: 'owner' | 'token_id' | 'kind',
) {
  return defineQuery<[value: Value, below: number, skip: number, rowLimit: number], TransactionRow>({
    name,
    parameters: {
      [column]: column === 'kind' ? 'smallint' : 'bytea',
      below: 'bigint',
      skip: 'bigint',
      row_limit: 'integer',
    },
    select: `
    select ${COLUMNS}
    from (
      select tx_index from ${table}
      where ${column} = :${column} and tx_index < :below
      order by tx_index desc offset :skip limit :row_limit
    ) l
    join transactions x on x.tx_index = l.tx_index
    join blocks b on b.height = x.height
    order by l.tx_index desc`,
  });
}

const TRANSACTIONS_OF_KIND = wholeTransactions<number>('transactions_of_kind', 'transactions', 'kind');
const WHOLE_TRANSACTIONS_OF_ADDRESS = wholeTransactions<Destination>(
  'whole_transactions_of_address',
  'address_transactions',
  'owner',
);
const WHOLE_TRANSACTIONS_OF_TOKEN = wholeTransactions<Id>(
  'whole_transactions_of_token',
  'token_transactions',
  'token_id',
);

/** The fee and the size of a transaction. */
interface TransactionFeeRow {
  readonly fee: Atoms;
  /** Size with signatures, in bytes. */
  readonly size: number;
}

/**
 * Reads the fees of the newest transactions. The fee is at the beginning of the JSON, so only that is read, even of
 * long transactions.
 */
export const listNewestFees = queryFunction<[rowLimit: number], TransactionFeeRow>({
  name: 'newest_fees',
  parameters: { row_limit: 'integer' },
  select: `
    select split_part(left(body, 64), '"', 6)::numeric as fee, size from transactions
    where tx_index < (select transaction_count from chain_tip)
    order by tx_index desc limit :row_limit`,
});

/** The sort key of every list of transactions. No transaction needs to have the index yet. */
export interface TransactionSortKey {
  /** The global index. */
  readonly txIndex: number;
}

/** The order of these lists. */
export const TRANSACTION_ORDER = {
  fields: { txIndex: 'int53' },
  sortKey: ({ tx_index }: { readonly tx_index: number }): TransactionSortKey => ({ txIndex: tx_index }),
} as const;
const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** The kinds that can be listed. */
export const LISTED_KINDS: readonly TransactionKind[] = TRANSACTION_KINDS;

/** All transactions, or those of a kind. */
export interface TransactionKindSelection {
  readonly kind?: TransactionKind | undefined;
}

/** A kind has no pages by offset. */
export const TRANSACTION_LIST = defineList<TransactionKindSelection, TransactionSortKey, TransactionRow>({
  name: ({ kind }) => (kind === undefined ? 'transaction' : `transaction ${kind}`),
  ...TRANSACTION_ORDER,
  read: (store, { kind, after, skip = 0, limit }) =>
    kind === undefined
      ? store.query(TRANSACTIONS_BELOW, after?.txIndex ?? null, skip, limit)
      : store.query(TRANSACTIONS_OF_KIND, KIND_NUMBERS[kind], after?.txIndex ?? ABOVE_ALL, 0, limit),
});

/** The transactions of an address. */
export const ADDRESS_TRANSACTION_LIST = defineList<OwnerSelection, TransactionSortKey, AddressTransactionRow>({
  name: ({ owner }) => `address-transactions ${owner}`,
  ...TRANSACTION_ORDER,
  read: (store, { owner, after, limit }) =>
    store.query(ADDRESS_TRANSACTIONS_BELOW, owner, after?.txIndex ?? ABOVE_ALL, limit),
});

/** The same, each whole. */
export const ADDRESS_TRANSACTION_BODY_LIST = defineList<OwnerSelection, TransactionSortKey, TransactionRow>({
  name: ADDRESS_TRANSACTION_LIST.name,
  ...TRANSACTION_ORDER,
  read: (store, { owner, after, limit }) =>
    store.query(WHOLE_TRANSACTIONS_OF_ADDRESS, owner, after?.txIndex ?? ABOVE_ALL, 0, limit),
});

interface OfToken {
  readonly tokenId: Id;
}

/** A row with a transaction. */
export type TokenTransactionEntryRow = NotNull<TokenTransactionRow, keyof TokenTransactionRow>;

/** The transactions of a token or NFT. At least one row, which says whether there is such a token. */
export const TOKEN_TRANSACTION_LIST: List<OfToken, TransactionSortKey, TokenTransactionRow, TokenTransactionEntryRow> =
  {
    name: ({ tokenId }) => `token-transactions ${tokenId}`,
    ...TRANSACTION_ORDER,
    isEntry: (row): row is TokenTransactionEntryRow => row.tx_id !== null,
    read: (store, { tokenId, after, skip = 0, limit }) =>
      store.query(TOKEN_TRANSACTIONS_BELOW, tokenId, after?.txIndex ?? ABOVE_ALL, skip, limit),
    anchors: defineAnchors<OfToken, TransactionSortKey>({
      list: 'transactions_of_token',
      fields: TRANSACTION_ORDER.fields,
      parameters: { token_id: 'bytea' },
      selection: ({ tokenId }) => [tokenId],
      key: 'tx_index::text',
      select: `
      select tx_index, row_number() over (order by tx_index desc) as place
      from token_transactions where token_id = :token_id`,
    }),
  };

/** The same, each whole; no row where there is no such token. */
export const TOKEN_TRANSACTION_BODY_LIST = defineList<OfToken, TransactionSortKey, TransactionRow>({
  name: TOKEN_TRANSACTION_LIST.name,
  ...TRANSACTION_ORDER,
  read: (store, { tokenId, after, skip = 0, limit }) =>
    store.query(WHOLE_TRANSACTIONS_OF_TOKEN, tokenId, after?.txIndex ?? ABOVE_ALL, skip, limit),
  anchors: TOKEN_TRANSACTION_LIST.anchors!,
});
