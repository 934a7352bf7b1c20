/** The main chain by height, and what the database says about itself. */
import type { Id } from '../../chain/types.ts';
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';

const BLOCK_ID_AT_HEIGHT = batchedQuery<[height: number], { readonly block_id: Id }>({
  name: 'block_id_at_height',
  parameters: { height: 'integer' },
  presenceColumn: 'block_id',
  select: 'select block_id from blocks where height = q.height',
});

const META = batchedQuery<[name: string], { readonly value: string }>({
  name: 'meta',
  parameters: { name: 'text' },
  presenceColumn: 'value',
  select: 'select value from meta where name = q.name',
});

/** The id of the main-chain block at a height, the genesis being at 0; no row above the tip or below 0. */
export function getBlockIdAtHeight(
  store: QueryRunner,
  height: number,
): Promise<SnapshotRows<{ readonly block_id: Id }>> {
  return store.query(BLOCK_ID_AT_HEIGHT, height);
}

/** A value of the table `meta`; `genesis` is the genesis block as JSON. */
export function getMeta(
  store: QueryRunner,
  name: 'network' | 'genesis_id' | 'genesis' | 'storage_version',
): Promise<SnapshotRows<{ readonly value: string }>> {
  return store.query(META, name);
}
