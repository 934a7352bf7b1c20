/** The blocks that transactions were in until a reorganisation removed the block. */
import type { Id } from '../../chain/types.ts';
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';

export interface LeftBlockRow {
  readonly block_id: Id;
  readonly height: number;
  /** The time when this index followed the reorganisation, in seconds since the epoch. */
  readonly removed_at: number;
}

/** A block that is on the main chain again is none that the transaction left. */
const LEFT_BLOCK = batchedQuery<[txId: Id], LeftBlockRow>({
  name: 'left_block_of_transaction',
  parameters: { tx_id: 'bytea' },
  presenceColumn: 'block_id',
  select: `
    select l.block_id, l.height, x.removed_at
    from left_transactions x join left_blocks l on l.block_id = x.block_id
    where x.tx_id = q.tx_id
      and not exists (select from blocks b where b.height = l.height and b.block_id = l.block_id)
    order by l.left_order desc limit 1`,
});

/** Reads the last block that a transaction left; no row if it left none, or longer ago than the index remembers. */
export async function getLeftBlock(store: QueryRunner, txId: Id): Promise<SnapshotRows<LeftBlockRow>> {
  const found = await store.query(LEFT_BLOCK, txId);
  return { ...found, dependsOnHistory: found.rows.length > 0 };
}
