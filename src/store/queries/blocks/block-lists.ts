/** Lists of main-chain blocks, newest first, and the block of a moment. The genesis is in none of the lists. */
import { MAX_HEIGHT, MEDIAN_TIME_SPAN } from '../../../chain/networks/network.ts';
import type { Atoms, Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, queryFunction, type SnapshotRows } from '../../read/query.ts';
import { type AllEntriesSelection, defineList, type List } from '../lists/define-list.ts';
import { targetFieldSql } from './block-targets.ts';

export interface ListedBlockRow {
  readonly height: number;
  readonly block_id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly tx_count: number;
  /** The number of transactions of each kind, as a rendered JSON object. */
  readonly kinds: string;
  /** Size in bytes. */
  readonly size: number;
  readonly fees: Atoms;
  /** The shares of subsidy and fees; 0 without proof of stake. */
  readonly staker_reward: Atoms;
  readonly delegations_reward: Atoms;
  /** The pool; null without proof of stake. */
  readonly pool_id: Id | null;
  /** See `targetOfHeader`. */
  readonly target_field: string | null;
}

/** The columns of a block `b`. */
const COLUMNS = `b.height, b.block_id, b.timestamp, b.tx_count, b.kinds, b.size, b.fees, b.staker_reward, b.delegations_reward, b.pool_id,
           ${targetFieldSql('b.header')} as target_field`;

/** The blocks below a height. */
const BLOCKS_BELOW = defineQuery<[below: number, rowLimit: number], ListedBlockRow>({
  name: 'blocks_below',
  parameters: { below: 'integer', row_limit: 'integer' },
  select: `
    select ${COLUMNS} from blocks b
    where b.height < :below and b.height > 0
    order by b.height desc limit :row_limit`,
});

/** A block with a page of its transactions. */
export interface BlockPageRow extends ListedBlockRow {
  readonly header: string;
  readonly reward: string;
  /** The place of the first transaction of the page in the block. */
  readonly first: number;
  /** The transactions of the page, in block order: each as JSON without line ends, one per line. */
  readonly transactions: string;
  /** Their `actors` as in `TransactionRow`, one a line, empty for null. */
  readonly actors: string;
}

const blockPageSelect = (where: string) => `
    select ${COLUMNS}, b.header, b.reward, p.first, t.transactions, t.actors
    from blocks b
    cross join lateral (
      select least(:first, b.tx_count - 1 - (b.tx_count - 1) % :page_size) as first
    ) p
    cross join lateral (
      select coalesce(string_agg(x.body, E'\\n' order by x.tx_index), '') as transactions,
             coalesce(string_agg(coalesce(x.actors, ''), E'\\n' order by x.tx_index), '') as actors
      from transactions x
      where x.tx_index >= b.first_tx_index + p.first
        and x.tx_index < b.first_tx_index + least(p.first + :page_size, b.tx_count)
    ) t
    where ${where} and b.height > 0`;

const BLOCK_PAGE = defineQuery<[blockId: Id, first: number, pageSize: number], BlockPageRow>({
  name: 'block_page',
  parameters: { block_id: 'bytea', first: 'integer', page_size: 'integer' },
  select: blockPageSelect('b.block_id = :block_id'),
});

const BLOCK_PAGE_AT_HEIGHT = defineQuery<[height: number, first: number, pageSize: number], BlockPageRow>({
  name: 'block_page_at_height',
  parameters: { height: 'integer', first: 'integer', page_size: 'integer' },
  select: blockPageSelect('b.height = :height'),
});

/** The fields of the block are null in the one row of a pool without blocks below the height. */
type PoolBlockRow = { readonly exists: boolean } & {
  readonly [Field in keyof ListedBlockRow]: ListedBlockRow[Field] | null;
};

/** A row with a block. */
type ListedPoolBlockRow = PoolBlockRow & ListedBlockRow;

/** The blocks that a pool made below a height; no row for a pool that never was. */
const POOL_BLOCKS_BELOW = defineQuery<[poolId: Id, below: number, rowLimit: number], PoolBlockRow>({
  name: 'pool_blocks_below',
  parameters: { pool_id: 'bytea', below: 'integer', row_limit: 'integer' },
  select: `
    select true as exists, l.*
    from pools p
    left join lateral (
      select ${COLUMNS} from blocks b
      where b.pool_id = :pool_id and b.height < :below
      order by b.height desc limit :row_limit
    ) l on true
    where p.pool_id = :pool_id`,
});

export type BlockAtTimeRow = Pick<ListedBlockRow, 'height' | 'block_id' | 'timestamp'>;

/**
 * The highest block with a timestamp of at most `time`, an SQL expression, as a subquery. Timestamps go up and down, but never below the median time
 * past of the blocks before, and that never falls. So above the block that follows the last one with a median of at most
 * the time, all timestamps are higher; and of the eleven blocks below that one, most are not.
 */
export const blockAtTimeSql = (time: string) => `
    select c.height, c.block_id, c.timestamp
    from (
      select coalesce((select m.height + 1 from blocks m where m.median_time <= ${time}
                       order by m.median_time desc, m.height desc limit 1), 0) as height
    ) last
    cross join lateral (
      select b.height, b.block_id, b.timestamp from blocks b
      where b.height <= last.height and b.height >= last.height - ${MEDIAN_TIME_SPAN}
      order by b.height desc offset 0
    ) c
    where c.timestamp <= ${time} limit 1`;

/** The highest block with a timestamp of at most the time, in seconds since the epoch; no row for a time before the genesis. */
export const getBlockAtTime = queryFunction<[time: number | bigint], BlockAtTimeRow>({
  name: 'block_at_time',
  parameters: { time: 'bigint' },
  select: blockAtTimeSql(':time'),
});

interface BlockKey {
  readonly height: number;
}

const ORDER = {
  fields: { height: 'int32' },
  sortKey: ({ height }: BlockKey): BlockKey => ({ height }),
} as const;

/** All blocks but the genesis. */
export const BLOCK_LIST = defineList<AllEntriesSelection, BlockKey, ListedBlockRow>({
  name: () => 'block',
  ...ORDER,
  read: (store, { after, limit }) => store.query(BLOCKS_BELOW, after?.height ?? MAX_HEIGHT, limit),
});

interface OfPool {
  readonly poolId: Id;
}

/** The blocks of a pool; no row for an id that never was a pool, one that is no entry where there is no block. */
export const POOL_BLOCK_LIST: List<OfPool, BlockKey, PoolBlockRow, ListedPoolBlockRow> = {
  name: ({ poolId }) => `pool-blocks ${poolId}`,
  ...ORDER,
  isEntry: (row): row is ListedPoolBlockRow => row.height !== null,
  read: (store, { poolId, after, limit }) => store.query(POOL_BLOCKS_BELOW, poolId, after?.height ?? MAX_HEIGHT, limit),
};

/**
 * A block of the main chain by its id or height, with one page of its transactions; no row for the genesis. `first`: the number
 * of the first transaction, a multiple of `pageSize`; beyond the end, the last page is read.
 */
export function getBlockPage(
  store: QueryRunner,
  { block, first, pageSize }: { readonly block: Id | number; readonly first: number; readonly pageSize: number },
): Promise<SnapshotRows<BlockPageRow>> {
  return typeof block === 'number'
    ? store.query(BLOCK_PAGE_AT_HEIGHT, block, first, pageSize)
    : store.query(BLOCK_PAGE, block, first, pageSize);
}
