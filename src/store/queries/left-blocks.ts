/** Reads the blocks that reorganisations removed. */
import type { Id } from '../../chain/types.ts';
import { queryFunction } from '../read/batched-query.ts';

/** Returns a row if the block is one of the newest that reorganisations removed. */
export const getLeftBlock = queryFunction<[blockId: Id], { readonly height: number }>({
  name: 'left_block',
  parameters: { block_id: 'bytea' },
  presenceColumn: 'height',
  select: 'select l.height from left_blocks l where l.block_id = q.block_id',
});
