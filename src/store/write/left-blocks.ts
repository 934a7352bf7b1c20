/** The blocks that reorganisations left: who saw one of them can be told where the chain went on. */
import type pg from 'pg';

/** As many of them are kept, the newest. */
export const MOST_LEFT_BLOCKS = 10_000;

/** Remembers the blocks above a height, which are about to be deleted, within the client's transaction. */
export async function rememberLeftBlocks(client: pg.Client, ancestor: number): Promise<void> {
  // One that is left for the second time counts from now.
  await client.query(`delete from left_blocks l using blocks b where b.height > $1 and l.block_id = b.block_id`, [
    ancestor,
  ]);
  await client.query(
    `insert into left_blocks (block_id, height, parent_id)
     select b.block_id, b.height, p.block_id
     from blocks b join blocks p on p.height = b.height - 1
     where b.height > $1
     order by b.height`,
    [ancestor],
  );
  await client.query(
    'delete from left_blocks where left_order <= (select max(left_order) from left_blocks) - $1::bigint',
    [MOST_LEFT_BLOCKS],
  );
}
