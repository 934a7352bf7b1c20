/** Main-chain blocks by id (no row for any other id, nor for the genesis), and the id at a height. */
import type { Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';

/** Returns the SQL condition that a row of a table belongs to a transaction of the block `b`. */
export const isInBlockSql = (table: string) =>
  `${table}.tx_index >= b.first_tx_index and ${table}.tx_index < b.first_tx_index + b.tx_count`;

/** Returns the SQL that joins an expression over all transactions `x` of the block `b`, in block order. */
export const aggregateTransactionsSql = (expression: string, separator: string) => `(
      select coalesce(string_agg(${expression}, '${separator}' order by x.tx_index), '')
      from transactions x where ${isInBlockSql('x')}
    )`;

/** The SQL of the id of a transaction `x` as an element of a JSON array. */
export const QUOTED_ID_SQL = `'"' || encode(x.tx_id, 'hex') || '"'`;

/** Reads the id of the main-chain block at a height; the genesis is at 0. No row above the tip or below 0. */
export const getBlockIdAtHeight = queryFunction<[height: number], { readonly block_id: Id }>({
  name: 'block_id_at_height',
  parameters: { height: 'integer' },
  select: 'select block_id from blocks where height = :height',
});

/** A block's header as JSON. */
export const getBlockHeader = queryFunction<[blockId: Id], { readonly header: string }>({
  name: 'block_header',
  parameters: { block_id: 'bytea' },
  select: 'select header from blocks where block_id = :block_id and height > 0',
});

/** The outputs of a block's reward as a JSON array. */
export const getBlockReward = queryFunction<[blockId: Id], { readonly reward: string }>({
  name: 'block_reward',
  parameters: { block_id: 'bytea' },
  select: 'select reward from blocks where block_id = :block_id and height > 0',
});

/** The ids of a block's transactions in block order, as the elements of a JSON array. */
export const getBlockTransactionIds = queryFunction<[blockId: Id], { readonly ids: string }>({
  name: 'block_transaction_ids',
  parameters: { block_id: 'bytea' },
  select: `
    select ${aggregateTransactionsSql(QUOTED_ID_SQL, ',')} as ids
    from blocks b where b.block_id = :block_id and b.height > 0`,
});

/** The leaves of a block's merkle tree. */
interface BlockLeavesRow {
  readonly reward_hash: Id;
  /** The ids of its transactions in block order, one after the other. */
  readonly ids: string;
}

export const getBlockLeaves = queryFunction<[blockId: Id], BlockLeavesRow>({
  name: 'block_leaves',
  parameters: { block_id: 'bytea' },
  select: `
    select b.reward_hash, ${aggregateTransactionsSql("encode(x.tx_id, 'hex')", '')} as ids
    from blocks b where b.block_id = :block_id and b.height > 0`,
});

export interface BlockRow {
  readonly height: number;
  readonly header: string;
  readonly reward: string;
  readonly tx_count: number;
  /** The base transactions in block order, each as JSON, one a line; null when there are more than asked for. */
  readonly transactions: string | null;
}

const BLOCK = defineQuery<[blockId: Id, transactionLimit: number | null], BlockRow>({
  name: 'block',
  parameters: { block_id: 'bytea', transaction_limit: 'integer' },
  select: `
    select b.height, b.header, b.reward, b.tx_count, case when b.tx_count <= coalesce(:transaction_limit, b.tx_count) then ${aggregateTransactionsSql('x.body', '\n')} end as transactions
    from blocks b where b.block_id = :block_id and b.height > 0`,
});

export interface BlockActorsRow {
  /** Of the transaction in the block, from 0 on. */
  readonly position: number;
  /** As in `TransactionRow`. Never null: PostgreSQL cannot tell. */
  readonly actors: string | null;
}

/** Reads who gave the commands of a block's transactions; no row for one without commands. */
export const listBlockActors = queryFunction<[blockId: Id], BlockActorsRow>({
  name: 'block_actors',
  parameters: { block_id: 'bytea' },
  select: `
    select (x.tx_index - b.first_tx_index)::int as position, x.actors
    from blocks b join transactions x on ${isInBlockSql('x')}
    where b.block_id = :block_id and b.height > 0 and x.actors is not null`,
});

/** A block; without its transactions when they are more than `limit` (null: no limit). */
export function getBlock(
  store: QueryRunner,
  { blockId, limit }: { readonly blockId: Id; readonly limit: number | null },
): Promise<SnapshotRows<BlockRow>> {
  return store.query(BLOCK, blockId, limit);
}
