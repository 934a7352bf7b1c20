/** Main-chain blocks by id. The genesis is not among them. */
import type { Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

export const BLOCK_HEADER = batchedQuery<[blockId: Id], { header: string }>({
  name: 'block_header',
  asked: { block_id: 'bytea' },
  key: 'header',
  select: 'select header from blocks where block_id = q.block_id and height > 0',
});

export const BLOCK_REWARD = batchedQuery<[blockId: Id], { reward: string }>({
  name: 'block_reward',
  asked: { block_id: 'bytea' },
  key: 'reward',
  select: 'select reward from blocks where block_id = q.block_id and height > 0',
});

/** The ids of a block's transactions in block order, as the elements of a JSON array. */
export const BLOCK_TRANSACTION_IDS = batchedQuery<[blockId: Id], { ids: string }>({
  name: 'block_transaction_ids',
  asked: { block_id: 'bytea' },
  key: 'ids',
  select: `
    select (
      select coalesce(string_agg('"' || encode(x.tx_id, 'hex') || '"', ',' order by x.tx_index), '')
      from transactions x
      where x.tx_index >= b.first_tx_index and x.tx_index < b.first_tx_index + b.tx_count
    ) as ids
    from blocks b where b.block_id = q.block_id and b.height > 0`,
});

/** What a block's merkle tree is made of: the hash of its reward, and its transactions' ids, one after the other. */
export const BLOCK_LEAVES = batchedQuery<[blockId: Id], { reward_hash: Id; ids: string }>({
  name: 'block_leaves',
  asked: { block_id: 'bytea' },
  key: 'ids',
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
  /** The base transactions in block order, as the elements of a JSON array; null when they are too many. */
  readonly transactions: string | null;
}

/** A block, with its transactions when they are not more than so many; null: with all of them. */
export const BLOCK = batchedQuery<[blockId: Id, mostTransactions: number | null], BlockRow>({
  name: 'block',
  asked: { block_id: 'bytea', most: 'integer' },
  key: 'header',
  select: `
    select b.height, b.header, b.reward, b.tx_count, case when b.tx_count <= coalesce(q.most, b.tx_count) then (
      select coalesce(string_agg(x.body, ',' order by x.tx_index), '')
      from transactions x
      where x.tx_index >= b.first_tx_index and x.tx_index < b.first_tx_index + b.tx_count
    ) end as transactions
    from blocks b where b.block_id = q.block_id and b.height > 0`,
});

/** How many main-chain blocks a pool made with `from ≤ timestamp ≤ to`; no row for a pool that never was. */
export const POOL_BLOCK_COUNT = batchedQuery<[poolId: Id, from: bigint, to: bigint], { block_count: number }>({
  name: 'pool_block_count',
  asked: { pool_id: 'bytea', since: 'bigint', until: 'bigint' },
  key: 'block_count',
  select: `
    select (
      select count(*) from blocks b
      where b.pool_id = q.pool_id and b.timestamp between q.since and q.until
    ) as block_count
    from pools p where p.pool_id = q.pool_id`,
});
