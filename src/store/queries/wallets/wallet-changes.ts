/**
 * The queries of `/wallet/sync`: what has changed for many addresses since a point of the chain, and what they have. Each
 * looks up all addresses in one statement.
 */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';
import type { OutputSortKey } from '../addresses/address-outputs.ts';
import type { TransactionRow } from '../transactions/transactions.ts';
import { WALLET_OWNERS_SQL } from './wallet-owners.ts';

/**
 * A place in the order of the chain. Position: of a transaction in its block; the reward comes after the last one, and
 * {@link END_OF_BLOCK} after all that a block does.
 */
export interface TransactionPlace {
  readonly height: number;
  readonly position: number;
}

/** A position after all others of a block. */
export const END_OF_BLOCK = 2 ** 31 - 1;

/** Reads the range of the global index of a block; no row if it is not on the main chain. */
export const getTransactionRange = queryFunction<
  [height: number, blockId: Id],
  { readonly first_tx_index: number; readonly tx_count: number }
>({
  name: 'transaction_range',
  parameters: { height: 'integer', block_id: 'bytea' },
  select: `select first_tx_index, tx_count from blocks where height = :height and block_id = :block_id`,
});

interface TouchedOwnersRow {
  /** Hex, with commas between. */
  readonly owners: string;
  readonly count: number;
}

/**
 * Reads whose outputs, balances and histories the blocks after a block touched. No row if the block is not on the main chain,
 * or more than `blockLimit` below the tip. With a count of `ownerLimit` there may be more of them.
 */
export const getOwnersTouchedSince = queryFunction<
  [height: number, blockId: Id, blockLimit: number, ownerLimit: number],
  TouchedOwnersRow
>({
  name: 'owners_touched_since',
  parameters: { height: 'integer', block_id: 'bytea', block_limit: 'integer', owner_limit: 'integer' },
  // Both ends of each range are named, so that the planner never takes it for a third of the table.
  select: `
    select touched.*
    from blocks b
    cross join lateral (
      select coalesce(string_agg(encode(owner, 'hex'), ','), '') as owners, count(*)::int as count
      from (
        select owner from (
          select owner from address_transactions
          where tx_index >= b.first_tx_index + b.tx_count and tx_index < (select transaction_count from chain_tip)
          union all
          select owner from balance_changes where height > b.height and height <= (select height from chain_tip)
          union all
          select owner from outputs where height > b.height and height <= (select height from chain_tip)
          union all
          select refund_owner from outputs where height > b.height and height <= (select height from chain_tip)
          union all
          select unlisted_owner from spends where spent_height > b.height and spent_height <= (select height from chain_tip)
        ) every
        where owner is not null
        group by owner
        limit :owner_limit
      ) distinct_owners
    ) touched
    where b.height = :height and b.block_id = :block_id and b.height >= (select height from chain_tip) - :block_limit`,
});

/** `body` is null from the first transaction on that does not fit into the bytes. */
export interface WalletTransactionRow extends Omit<TransactionRow, 'body'> {
  readonly body: string | null;
  readonly position: number;
}

/**
 * The transactions in the histories of addresses whose global index is above `after`, in the order of the chain. Bodies
 * stop when they have `byteLimit` bytes or more.
 */
export const listWalletTransactions = queryFunction<
  [owners: readonly Destination[], after: number, byteLimit: number, rowLimit: number],
  WalletTransactionRow
>({
  name: 'wallet_transactions',
  parameters: { owners: 'bytea[]', after: 'bigint', byte_limit: 'integer', row_limit: 'integer' },
  select: `
    select x.tx_index, (x.tx_index - b.first_tx_index)::int as position,
           case when x.bytes_before < :byte_limit then x.body end as body, x.actors, x.size, x.height, b.block_id, b.timestamp
    from (
      select x.*, sum(octet_length(x.body)) over (order by x.tx_index) - octet_length(x.body) as bytes_before
      from (
        select distinct a.tx_index
        from ${WALLET_OWNERS_SQL}
        cross join lateral (
          select tx_index from address_transactions
          where owner = w.owner and tx_index > :after
          order by tx_index limit :row_limit
        ) a
        order by a.tx_index limit :row_limit
      ) a
      join transactions x on x.tx_index = a.tx_index
    ) x
    join blocks b on b.height = x.height
    order by x.tx_index`,
});

/** An output, and the point where it was created or spent. */
export interface WalletOutputRow {
  readonly height: number;
  readonly position: number;
  /** `{"outpoint":…,"utxo":…`, without the last brace. */
  readonly entry: string;
}

/** All rows of the last point are among them, so that a list never ends within a transaction. */
const FIRST_POINTS = 'order by height, position fetch first (:row_limit) rows with ties';
const AFTER_PARAMETERS = { owners: 'bytea[]', height: 'integer', position: 'integer', row_limit: 'integer' } as const;
type AfterParameters = [owners: readonly Destination[], height: number, position: number, rowLimit: number];

/** Returns a function that lists outputs after a point: `limit` of them, and all others of the last one's point. */
function outputsAfter(name: string, select: string) {
  const query = defineQuery<AfterParameters, WalletOutputRow>({
    name,
    parameters: AFTER_PARAMETERS,
    select,
  });
  return (store: QueryRunner, owners: readonly Destination[], { height, position }: TransactionPlace, limit: number) =>
    store.query(query, owners, height, position, limit);
}

/** The condition that an output is of the wallet's address `w.owner`, by its owner or else by its refund key. */
const IS_OF = { owner: 'owner = w.owner', refund_owner: 'refund_owner = w.owner and refund_owner <> owner' } as const;

const createdBy = (column: keyof typeof IS_OF) => `
      (select height, position, output_index from outputs
       where ${IS_OF[column]} and (height, position) > (:height, :position) ${FIRST_POINTS})`;

/** The outputs that were created for addresses after a point. */
export const listWalletCreatedOutputs = outputsAfter(
  'wallet_created',
  `
    select o.height, o.position, o.entry
    from (
      select distinct c.height, c.position, c.output_index
      from ${WALLET_OWNERS_SQL}
      cross join lateral (${createdBy('owner')} union all ${createdBy('refund_owner')}) c
      ${FIRST_POINTS}
    ) c
    join outputs o on o.height = c.height and o.position = c.position and o.output_index = c.output_index
    order by o.height, o.position, o.output_index`,
);

/**
 * The outputs of addresses that were spent after a point by a block's kernel (position {@link END_OF_BLOCK}), or by a transaction
 * that is not in the history of the address.
 */
export const listWalletUnlistedSpends = outputsAfter(
  'wallet_unlisted_spends',
  `
    select s.height, s.position, o.entry
    from (
      select s.*
      from ${WALLET_OWNERS_SQL}
      cross join lateral (
        select * from (
          select spent_height as height, coalesce(spent_position, ${END_OF_BLOCK}) as position,
                 height as created_height, position as created_position, output_index
          from spends where unlisted_owner = w.owner and spent_height >= :height
        ) s
        where (height, position) > (:height, :position) ${FIRST_POINTS}
      ) s
      ${FIRST_POINTS}
    ) s
    join outputs o
      on o.height = s.created_height and o.position = s.created_position and o.output_index = s.output_index
    order by s.height, s.position, s.created_height, s.created_position, s.output_index`,
);

interface WalletUtxoRow extends WalletOutputRow {
  readonly output_index: number;
}

const unspentOf = (column: keyof typeof IS_OF) => `
      (select height, position, output_index from utxos
       where ${IS_OF[column]} and (height, position, output_index) >= (:height, :position, :output_index)
         and (height, position) <= (:last_height, :last_position)
       order by height, position, output_index limit :row_limit)`;

const WALLET_UTXOS = defineQuery<
  [
    owners: readonly Destination[],
    height: number,
    position: number,
    outputIndex: number,
    lastHeight: number,
    lastPosition: number,
    rowLimit: number,
  ],
  WalletUtxoRow
>({
  name: 'wallet_utxos',
  parameters: {
    owners: 'bytea[]',
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    last_height: 'integer',
    last_position: 'integer',
    row_limit: 'integer',
  },
  select: `
    select o.height, o.position, o.output_index, o.entry
    from (
      select distinct u.height, u.position, u.output_index
      from ${WALLET_OWNERS_SQL}
      cross join lateral (${unspentOf('owner')} union all ${unspentOf('refund_owner')}) u
      order by u.height, u.position, u.output_index limit :row_limit
    ) u
    join outputs o on o.height = u.height and o.position = u.position and o.output_index = u.output_index
    order by o.height, o.position, o.output_index`,
});

/** The unspent outputs of addresses from a sort key on and up to a point, in the order of the chain. */
export function listWalletUtxos(
  store: QueryRunner,
  owners: readonly Destination[],
  { from, last, limit }: { readonly from: OutputSortKey; readonly last: TransactionPlace; readonly limit: number },
): Promise<SnapshotRows<WalletUtxoRow>> {
  const { height, position, outputIndex } = from;
  return store.query(WALLET_UTXOS, owners, height, position, outputIndex, last.height, last.position, limit);
}

/** The balance of several addresses together in a currency. */
export interface WalletBalanceRow {
  readonly currency: Currency;
  /** Spendable. */
  readonly amount: Atoms;
  /** The time-locked amount. */
  readonly locked: Atoms;
}

/** The sums of the balances of addresses, by currency; the coin first, if they have any. */
export const listWalletBalances = queryFunction<[owners: readonly Destination[], rowLimit: number], WalletBalanceRow>({
  name: 'wallet_balances',
  parameters: { owners: 'bytea[]', row_limit: 'integer' },
  // No address has more of the first currencies than all have together.
  select: `
    select b.currency, sum(b.amount) as amount, sum(b.locked) as locked
    from ${WALLET_OWNERS_SQL}
    cross join lateral (
      select currency, amount, locked from balances where owner = w.owner order by currency limit :row_limit
    ) b
    group by b.currency
    order by b.currency limit :row_limit`,
});
