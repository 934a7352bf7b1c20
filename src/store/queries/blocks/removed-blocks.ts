/** The blocks that reorganisations removed, and the transactions that were in them. */
import type { Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';

/** Returns a row if the block is one of the newest that reorganisations removed. */
export const getRemovedBlock = queryFunction<[blockId: Id], { readonly height: number }>({
  name: 'removed_block',
  parameters: { block_id: 'bytea' },
  select: 'select r.height from removed_blocks r where r.block_id = :block_id',
});

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
