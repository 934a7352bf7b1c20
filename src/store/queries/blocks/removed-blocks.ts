/** Reads the blocks that reorganisations removed. */
import type { Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

/** Returns a row if the block is one of the newest that reorganisations removed. */
export const getRemovedBlock = queryFunction<[blockId: Id], { readonly height: number }>({
  name: 'removed_block',
  parameters: { block_id: 'bytea' },
  select: 'select r.height from removed_blocks r where r.block_id = :block_id',
});
