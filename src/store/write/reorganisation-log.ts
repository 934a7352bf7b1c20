/**
 * What is kept of reorganisations: a log, and the removed blocks with their transactions, for clients that saw one of them and ask
 * where the chain continues, or where a transaction went.
 */
import type pg from 'pg';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import type { IdentifiedBlock } from '../../chain/types.ts';
import { EVENTS_BEYOND_HEIGHT_SQL } from '../queries/blocks/added-and-removed-blocks.ts';

/**
 * Notes that the blocks above `ancestor`, which are about to be deleted, give way to others, within the client's
 * transaction.
 */
export async function insertReorganisation(
  client: pg.Client,
  ancestor: number,
  branch: readonly IdentifiedBlock[],
): Promise<void> {
  const added = branch.map(({ id, block: { header } }, i) => {
    const poolId = header.consensus.type === 'PoS' ? header.consensus.data.stakePoolId : '';
    return `${ancestor + 1 + i}:${id}:${poolId}`;
  });
  await client.query(
    `insert into reorganisations (seen_at, event_count, ancestor_height, removed, added)
     select extract(epoch from clock_timestamp())::bigint, coalesce(max(height), $1) + ${EVENTS_BEYOND_HEIGHT_SQL} + count(*), $1, coalesce(string_agg(
              height || ':' || encode(block_id, 'hex') || ':' || coalesce(encode(pool_id, 'hex'), '') || ':' || timestamp, ',' order by height), ''), $2
     from blocks where height > $1`,
    [ancestor, added.join(',')],
  );
}

/** The number of removed blocks that are stored, the newest ones: several reorganisations of the greatest depth. */
export const MAX_REMOVED_BLOCKS = 10 * MAX_REORGANISATION_DEPTH;

/** The longest JSON of a removed transaction that is stored, in characters. */
const MAX_REMOVED_BODY = 65_536;

/**
 * Stores the blocks above a height, which are about to be deleted, within the client's transaction. Transactions of
 * blocks that are no longer stored go with them. `transactionCount`: the transactions up to that height.
 */
export async function rememberRemovedBlocks(
  client: pg.Client,
  ancestor: number,
  transactionCount: number,
): Promise<void> {
  // A block that is removed for the second time counts from now on.
  await client.query(`delete from removed_blocks r using blocks b where b.height > $1 and r.block_id = b.block_id`, [
    ancestor,
  ]);
  await client.query(
    `insert into removed_blocks (block_id, height, parent_id)
     select b.block_id, b.height, p.block_id
     from blocks b join blocks p on p.height = b.height - 1
     where b.height > $1
     order by b.height`,
    [ancestor],
  );
  await client.query(
    `insert into removed_transactions (tx_id, block_id, removed_at, body, actors)
     select x.tx_id, b.block_id, extract(epoch from clock_timestamp())::bigint,
            case when length(x.body) <= $2 then x.body end, x.actors
     from transactions x join blocks b on b.height = x.height
     where x.tx_index >= $1`,
    [transactionCount, MAX_REMOVED_BODY],
  );
  await client.query(
    'delete from removed_blocks where removal_order <= (select max(removal_order) from removed_blocks) - $1::bigint',
    [MAX_REMOVED_BLOCKS],
  );
}
