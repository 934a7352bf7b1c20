/** The main chain by height, and what the database says about itself. */
import type { Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

/** The id of the main-chain block at a height; the genesis is height 0. */
export const BLOCK_ID_AT_HEIGHT = batchedQuery<[height: number], { block_id: Id }>({
  name: 'block_id_at_height',
  asked: { height: 'integer' },
  key: 'block_id',
  select: 'select block_id from blocks where height = q.height',
});

/** A row of `meta`: `network`, `genesis_id`, `genesis` (finished JSON) or `storage_version`. */
export const META = batchedQuery<[name: string], { value: string }>({
  name: 'meta',
  asked: { name: 'text' },
  key: 'value',
  select: 'select value from meta where name = q.name',
});
