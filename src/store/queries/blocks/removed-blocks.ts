/** The blocks that reorganisations removed, and the transactions that were in them. */
import type { Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';

/** Returns a row if the block is one of the newest that reorganisations removed. */
export const getRemovedBlock = queryFunction<[blockId: Id], { readonly height: number }>({
  name: 'removed_block',
  parameters: { block_id: 'bytea' },
  select: 'select r.height from removed_blocks r where r.block_id = :block_id',
});

/** The most transactions of a removed block that are read. */
export const MAX_REMOVED_TRANSACTIONS = 100;

/** Of a block of the main chain, or a removed one that the index remembers. */
export interface BlockTransactionCountRow {
  readonly block_id: Id;
  readonly is_on_main_chain: boolean;
  readonly transactions: number;
  /** Those that no block has now. */
  readonly outside: number;
}

/** Counts the transactions of blocks that reorganisations added or removed, as far as the index knows these blocks. */
export const countTransactionsOfBlocks = queryFunction<[blockIds: readonly Id[]], BlockTransactionCountRow>({
  name: 'transaction_counts_of_blocks',
  parameters: { block_ids: 'bytea[]' },
  select: `
    select block_id, true as is_on_main_chain, tx_count as transactions, 0 as outside
    from blocks where block_id = any(:block_ids)
    union all
    select r.block_id, false, c.transactions, c.outside
    from removed_blocks r
    cross join lateral (
      select count(*)::integer as transactions, count(*) filter (where t.tx_id is null)::integer as outside
      from removed_transactions x left join transactions t on t.tx_id = x.tx_id
      where x.block_id = r.block_id
    ) c
    where r.block_id = any(:block_ids) and not exists (select from blocks where block_id = r.block_id)`,
});

interface BlockRemovalRow {
  readonly height: number;
  readonly parent_id: Id;
  /** The pool that made it; null without proof of stake. */
  readonly pool_id: Id | null;
  /** The time of the block, in seconds since the epoch; null if a scanner before release 1.0 removed it. */
  readonly timestamp: number | null;
  /** The time when this index followed the reorganisation, in seconds since the epoch. */
  readonly removed_at: number;
  /** The block of the main chain at its height; null if the chain is shorter now. */
  readonly replaced_by: Id | null;
  readonly transaction_count: number;
  /** Its first transactions, `TX_ID:BLOCK_ID:HEIGHT` each, separated by commas; without a block where no block has it now. */
  readonly transactions: string;
}

/** A block that a reorganisation removed. */
export interface BlockRemoval extends Omit<BlockRemovalRow, 'transactions'> {
  /** At most {@link MAX_REMOVED_TRANSACTIONS}, with where they are now. */
  readonly transactions: readonly {
    readonly txId: Id;
    readonly place: { readonly blockId: Id; readonly height: number } | null;
  }[];
}

const BLOCK_REMOVAL = defineQuery<[blockId: Id], BlockRemovalRow>({
  name: 'block_removal',
  parameters: { block_id: 'bytea' },
  select: `
    select r.height, r.parent_id, nullif(o.about[1], '') as pool_id, o.about[2]::bigint as timestamp, o.seen_at as removed_at, b.block_id as replaced_by, x.transaction_count, x.transactions
    from removed_blocks r
    join lateral (
      select seen_at, regexp_match(removed, encode(r.block_id, 'hex') || ':([0-9a-f]*):?([0-9]+)?') as about from reorganisations
      where position(encode(r.block_id, 'hex') in removed) > 0 order by reorganisation_id desc limit 1
    ) o on true
    left join blocks b on b.height = r.height
    cross join lateral (
      select (select count(*) from removed_transactions where block_id = r.block_id) as transaction_count,
             coalesce(string_agg(concat_ws(':', encode(l.tx_id, 'hex'), encode(c.block_id, 'hex'), c.height), ',' order by l.tx_id), '')
               as transactions
      from (
        select tx_id from removed_transactions where block_id = r.block_id order by tx_id limit ${MAX_REMOVED_TRANSACTIONS}
      ) l
      left join transactions t on t.tx_id = l.tx_id
      left join blocks c on c.height = t.height
    ) x
    where r.block_id = :block_id`,
});

/** Reads what is remembered of a block that is not on the main chain: null if no reorganisation that this index knows removed it. */
export async function getBlockRemoval(
  store: QueryRunner,
  blockId: Id,
): Promise<SnapshotRows<BlockRemovalRow> & { readonly removal: BlockRemoval | null }> {
  const found = await store.query(BLOCK_REMOVAL, blockId);
  const [row] = found.rows;
  const entries = row?.transactions ? row.transactions.split(',') : [];
  const transactions = entries.map((entry) => {
    const [txId, id, height] = entry.split(':') as [Id, Id?, string?];
    return { txId, place: id === undefined ? null : { blockId: id, height: Number(height) } };
  });
  return { ...found, removal: row === undefined ? null : { ...row, transactions } };
}

export interface TransactionRemovalRow {
  readonly block_id: Id;
  readonly height: number;
  /** The time when this index followed the reorganisation, in seconds since the epoch. */
  readonly removed_at: number;
}

/** A block that is on the main chain again counts as not removed. */
const TRANSACTION_REMOVAL = defineQuery<[txId: Id], TransactionRemovalRow>({
  name: 'transaction_removal',
  parameters: { tx_id: 'bytea' },
  select: `
    select r.block_id, r.height, x.removed_at
    from removed_transactions x join removed_blocks r on r.block_id = x.block_id
    where x.tx_id = :tx_id
      and not exists (select from blocks b where b.height = r.height and b.block_id = r.block_id)
    order by r.removal_order desc limit 1`,
});

/** Reads the last removed block of a transaction; no row if it has none, or none that the index remembers. */
export async function getTransactionRemoval(
  store: QueryRunner,
  txId: Id,
): Promise<SnapshotRows<TransactionRemovalRow>> {
  const found = await store.query(TRANSACTION_REMOVAL, txId);
  return { ...found, dependsOnHistory: found.rows.length > 0 };
}

/** What a transaction of a removed block did. */
export interface RemovedBodyRow {
  readonly height: number;
  /** The base transaction as JSON, and who gave its commands: see `TransactionRow`. Never null, as only those with a body are read. */
  readonly body: string | null;
  readonly actors: string | null;
}

/** Reads the transactions of removed blocks, in no order; a long one, or one that an older scanner removed, has no row. */
export const listRemovedBodies = queryFunction<[txIds: readonly Id[]], RemovedBodyRow>({
  name: 'removed_transaction_bodies',
  parameters: { tx_ids: 'bytea[]' },
  select: `
    select distinct on (x.tx_id) r.height, x.body, x.actors
    from removed_transactions x join removed_blocks r on r.block_id = x.block_id
    where x.tx_id = any(:tx_ids) and x.body is not null
    order by x.tx_id, r.removal_order desc`,
});
