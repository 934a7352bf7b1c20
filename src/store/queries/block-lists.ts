/** Lists of main-chain blocks, newest first, and the block of a moment. The genesis is in none of the lists. */
import { MEDIAN_TIME_SPAN } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

export interface ListedBlockRow {
  readonly height: number;
  readonly block_id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly tx_count: number;
  /** How many transactions there are of each kind: a finished JSON object. */
  readonly kinds: string;
  /** In bytes. */
  readonly size: number;
  readonly fees: Atoms;
  /** How subsidy and fees were shared; 0 without proof of stake. */
  readonly staker_reward: Atoms;
  readonly delegations_reward: Atoms;
  /** Null without proof of stake. */
  readonly pool_id: Id | null;
}

const COLUMNS = 'height, block_id, timestamp, tx_count, kinds, size, fees, staker_reward, delegations_reward, pool_id';

/** The blocks below a height. */
export const BLOCKS_BELOW = batchedQuery<[below: number, items: number], ListedBlockRow>({
  name: 'blocks_below',
  asked: { below: 'integer', items: 'integer' },
  key: 'height',
  select: `
    select ${COLUMNS} from blocks
    where height < q.below and height > 0
    order by height desc limit q.items`,
});

/** The fields of the block are null in the one row of a pool without blocks below the height. */
export type PoolBlockRow = { readonly exists: boolean } & {
  readonly [Field in keyof ListedBlockRow]: ListedBlockRow[Field] | null;
};

/** The blocks that a pool made below a height; no row for a pool that never was. */
export const POOL_BLOCKS_BELOW = batchedQuery<[poolId: Id, below: number, items: number], PoolBlockRow>({
  name: 'pool_blocks_below',
  asked: { pool_id: 'bytea', below: 'integer', items: 'integer' },
  key: 'exists',
  select: `
    select true as exists, l.*
    from pools p
    left join lateral (
      select ${COLUMNS} from blocks
      where pool_id = q.pool_id and height < q.below
      order by height desc limit q.items
    ) l on true
    where p.pool_id = q.pool_id`,
});

export interface BlockAtTimeRow {
  readonly height: number;
  readonly block_id: Id;
  readonly timestamp: number;
}

/**
 * The highest block with `timestamp ≤ q.time`, as a subquery. Timestamps go up and down, but never below the median time
 * past of the blocks before, and that never falls. So above the block that follows the last one with a median of at most
 * the time, all timestamps are higher; and of the eleven blocks below that one, most are not.
 */
export const BLOCK_AT_TIME_SQL = `
    select c.height, c.block_id, c.timestamp
    from (
      select coalesce((select m.height + 1 from blocks m where m.median_time <= q.time
                       order by m.median_time desc, m.height desc limit 1), 0) as height
    ) last
    cross join lateral (
      select b.height, b.block_id, b.timestamp from blocks b
      where b.height <= last.height and b.height >= last.height - ${MEDIAN_TIME_SPAN}
      order by b.height desc offset 0
    ) c
    where c.timestamp <= q.time limit 1`;

/** The highest block with a timestamp of at most the time, in seconds; none before the genesis. */
export const BLOCK_AT_TIME = batchedQuery<[time: number | bigint], BlockAtTimeRow>({
  name: 'block_at_time',
  asked: { time: 'bigint' },
  key: 'height',
  select: BLOCK_AT_TIME_SQL,
});
