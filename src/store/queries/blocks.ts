/** Main-chain blocks by id (no row for any other id, nor for the genesis), and the id at a height. */
import type { Id } from '../../chain/types.ts';
import {
  batchedQuery,
  type QueryRunner,
  runQuery,
  type SnapshotRows,
  type UnbatchedOption,
  type UnbatchedQueryRunner,
} from '../read/batched-query.ts';

const BLOCK_ID_AT_HEIGHT = batchedQuery<[height: number], { readonly block_id: Id }>({
  name: 'block_id_at_height',
  parameters: { height: 'integer' },
  presenceColumn: 'block_id',
  select: 'select block_id from blocks where height = q.height',
});

const BLOCK_HEADER = batchedQuery<[blockId: Id], { readonly header: string }>({
  name: 'block_header',
  parameters: { block_id: 'bytea' },
  presenceColumn: 'header',
  select: 'select header from blocks where block_id = q.block_id and height > 0',
});

const BLOCK_REWARD = batchedQuery<[blockId: Id], { readonly reward: string }>({
  name: 'block_reward',
  parameters: { block_id: 'bytea' },
  presenceColumn: 'reward',
  select: 'select reward from blocks where block_id = q.block_id and height > 0',
});

const BLOCK_TRANSACTION_IDS = batchedQuery<[blockId: Id], { readonly ids: string }>({
  name: 'block_transaction_ids',
  parameters: { block_id: 'bytea' },
  presenceColumn: 'ids',
  select: `
    select (
      select coalesce(string_agg('"' || encode(x.tx_id, 'hex') || '"', ',' order by x.tx_index), '')
      from transactions x
      where x.tx_index >= b.first_tx_index and x.tx_index < b.first_tx_index + b.tx_count
    ) as ids
    from blocks b where b.block_id = q.block_id and b.height > 0`,
});

/** The leaves of a block's merkle tree. */
interface BlockLeavesRow {
  readonly reward_hash: Id;
  /** The ids of its transactions in block order, one after the other. */
  readonly ids: string;
}

const BLOCK_LEAVES = batchedQuery<[blockId: Id], BlockLeavesRow>({
  name: 'block_leaves',
  parameters: { block_id: 'bytea' },
  presenceColumn: 'ids',
  select: `
    select b.reward_hash, (
      select coalesce(string_agg(encode(x.tx_id, 'hex'), '' order by x.tx_index), '')
      from transactions x
      where x.tx_index >= b.first_tx_index and x.tx_index < b.first_tx_index + b.tx_count
    ) as ids
    from blocks b where b.block_id = q.block_id and b.height > 0`,
});

export interface BlockRow {
  readonly height: number;
  readonly header: string;
  readonly reward: string;
  readonly tx_count: number;
  /** The base transactions in block order, as the elements of a JSON array; null when there are more than asked for. */
  readonly transactions: string | null;
}

const BLOCK = batchedQuery<[blockId: Id, transactionLimit: number | null], BlockRow>({
  name: 'block',
  parameters: { block_id: 'bytea', transaction_limit: 'integer' },
  presenceColumn: 'header',
  select: `
    select b.height, b.header, b.reward, b.tx_count, case when b.tx_count <= coalesce(q.transaction_limit, b.tx_count) then (
      select coalesce(string_agg(x.body, ',' order by x.tx_index), '')
      from transactions x
      where x.tx_index >= b.first_tx_index and x.tx_index < b.first_tx_index + b.tx_count
    ) end as transactions
    from blocks b where b.block_id = q.block_id and b.height > 0`,
});

/** The id of the main-chain block at a height, the genesis being at 0; no row above the tip or below 0. */
export function getBlockIdAtHeight(
  store: QueryRunner,
  height: number,
): Promise<SnapshotRows<{ readonly block_id: Id }>> {
  return store.query(BLOCK_ID_AT_HEIGHT, height);
}

/** A block's header as JSON. */
export function getBlockHeader(store: QueryRunner, blockId: Id): Promise<SnapshotRows<{ readonly header: string }>> {
  return store.query(BLOCK_HEADER, blockId);
}

/** The outputs of a block's reward as a JSON array. */
export function getBlockReward(store: QueryRunner, blockId: Id): Promise<SnapshotRows<{ readonly reward: string }>> {
  return store.query(BLOCK_REWARD, blockId);
}

/** The ids of a block's transactions in block order, as the elements of a JSON array. */
export function getBlockTransactionIds(
  store: QueryRunner,
  blockId: Id,
): Promise<SnapshotRows<{ readonly ids: string }>> {
  return store.query(BLOCK_TRANSACTION_IDS, blockId);
}

export function getBlockLeaves(store: QueryRunner, blockId: Id): Promise<SnapshotRows<BlockLeavesRow>> {
  return store.query(BLOCK_LEAVES, blockId);
}

/** A block; without its transactions when they are more than `transactionLimit` (null: no limit). */
export function getBlock(
  store: UnbatchedQueryRunner,
  {
    blockId,
    transactionLimit,
    unbatched,
  }: { readonly blockId: Id; readonly transactionLimit: number | null } & UnbatchedOption,
): Promise<SnapshotRows<BlockRow>> {
  return runQuery(store, unbatched, BLOCK, blockId, transactionLimit);
}
