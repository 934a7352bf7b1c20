/** The log of the reorganisations that this index followed. */
import type pg from 'pg';
import type { IdentifiedBlock } from '../../chain/types.ts';

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
    `insert into reorganisations (seen_at, ancestor_height, removed, added)
     select extract(epoch from clock_timestamp())::bigint, $1, coalesce(string_agg(
              height || ':' || encode(block_id, 'hex') || ':' || coalesce(encode(pool_id, 'hex'), ''), ',' order by height), ''), $2
     from blocks where height > $1`,
    [ancestor, added.join(',')],
  );
}
