/** Lists of the living pools in every order, plain or with all that is known of each. */
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import type { ColumnType } from '../postgres/column-types.ts';
import { type BatchedQuery, batchedQuery } from '../read/batched-query.ts';
import { type AnchorQuery, anchors } from './offset-anchors.ts';
import { POOL_COLUMNS, type PoolRow } from './pools.ts';

/** `by_pledge`: the staker's balance. `by_blocks`: those of the month. `by_margin`: the lowest first; the others: the highest. */
export type PoolSort = 'by_height' | 'by_pledge' | 'by_stake' | 'by_blocks' | 'by_margin' | 'by_apy';

export interface SortedPoolRow extends PoolRow {
  /** What the list is ordered by: with the id the place in it. */
  readonly sort_key: Atoms;
}

export interface ExpandedPoolRow extends SortedPoolRow {
  /** Of the block that created it; seconds since the epoch. */
  readonly creation_timestamp: number;
  /** Delegations that hold something. */
  readonly delegation_count: number;
  /** Pledge, rewards and what is delegated. */
  readonly total_stake: Atoms;
  readonly effective_stake: Atoms;
  /** Of all pools together. */
  readonly all_effective_stake: Atoms;
  /** Blocks that it made: in all, and in the last complete 24 and 720 UTC hours before the hour of the tip. */
  readonly blocks_total: number;
  readonly blocks_day: number;
  readonly blocks_month: number;
  /** What 10^18 atoms would have got in the month that were delegated all the time; null where nothing was delegated. */
  readonly month_rate: bigint | null;
}

/** The place before the first entry is `first`; entries after a place have the same key and a higher id, or a later key. */
interface PoolOrder {
  readonly column: string;
  readonly type: ColumnType;
  readonly direction: 'asc' | 'desc';
  readonly first: Atoms | 'Infinity' | number;
}

const ABOVE_ALL_HEIGHTS = 0x7fff_ffff;

const ORDERS: Readonly<Record<PoolSort, PoolOrder>> = {
  by_height: { column: 'creation_height', type: 'integer', direction: 'desc', first: ABOVE_ALL_HEIGHTS },
  by_pledge: { column: 'staker_balance', type: 'numeric', direction: 'desc', first: 'Infinity' },
  by_stake: { column: 'total_stake', type: 'numeric', direction: 'desc', first: 'Infinity' },
  by_blocks: { column: 'blocks_month', type: 'integer', direction: 'desc', first: ABOVE_ALL_HEIGHTS },
  by_margin: { column: 'margin_ratio_per_thousand', type: 'integer', direction: 'asc', first: -1 },
  by_apy: { column: 'apy_rank', type: 'numeric', direction: 'desc', first: 'Infinity' },
};

export type PoolListParameters = [place: Atoms | 'Infinity' | number, poolId: Id, skipped: number, items: number];
export type PoolListQuery<Row> = BatchedQuery<PoolListParameters, Row>;

/** The parameter `place` of the first page of a list; its `poolId` is empty. */
export function firstPlace(sort: PoolSort): PoolListParameters[0] {
  return ORDERS[sort].first;
}

const COLUMNS = `${POOL_COLUMNS}, delegation_count, total_stake, effective_stake, blocks_total, blocks_day, blocks_month,
                 case when apy_rank >= 0 then month_rate end as month_rate`;

function poolList<Row extends SortedPoolRow>(sort: PoolSort, isExpanded: boolean): PoolListQuery<Row> {
  const { column, type, direction } = ORDERS[sort];
  const columns = `${isExpanded ? COLUMNS : POOL_COLUMNS}, ${column}::numeric as sort_key`;
  const order = direction === 'asc' ? `${column}, pool_id` : `${column} desc, pool_id`;
  const walks = `
    (select ${columns} from pools
     where staker_balance > 0 and ${column} = q.place and pool_id > q.pool_id
     order by pool_id limit q.items + q.skipped)
    union all
    (select ${columns} from pools
     where staker_balance > 0 and ${column} ${direction === 'asc' ? '>' : '<'} q.place
     order by ${order} limit q.items + q.skipped)
    offset q.skipped limit q.items`;
  return batchedQuery<PoolListParameters, Row>({
    name: `${isExpanded ? 'expanded' : 'listed'}_pools_${sort}`,
    asked: { place: type, pool_id: 'bytea', skipped: 'bigint', items: 'integer' },
    key: 'pool_id',
    select: isExpanded
      ? `
    select p.*, s.effective_stake as all_effective_stake, b.timestamp as creation_timestamp
    from (${walks}) p
    join statistics s on s.currency = ''
    join blocks b on b.height = p.creation_height
    order by p.sort_key ${direction}, p.pool_id`
      : walks,
  });
}

function forEachSort<T>(make: (sort: PoolSort) => T): Readonly<Record<PoolSort, T>> {
  return Object.fromEntries((Object.keys(ORDERS) as PoolSort[]).map((sort) => [sort, make(sort)])) as Record<
    PoolSort,
    T
  >;
}

/** The living pools, from a place in the list on. */
export const SORTED_POOLS = forEachSort((sort) => poolList<SortedPoolRow>(sort, false));

/** The same with all that is known of each. */
export const EXPANDED_POOLS = forEachSort((sort) => poolList<ExpandedPoolRow>(sort, true));

/** The places of every hundredth entry, for pages by offset: `SORT_KEY.POOL_ID`. */
export const SORTED_POOL_ANCHORS: Readonly<Record<PoolSort, AnchorQuery<[]>>> = forEachSort((sort) => {
  const { column, direction } = ORDERS[sort];
  return anchors<[]>({
    list: `sorted_pools_${sort}`,
    asked: {},
    key: `${column} || '.' || encode(pool_id, 'hex')`,
    listed: `
    select ${column}, pool_id, row_number() over (order by ${column} ${direction}, pool_id) as place
    from pools where staker_balance > 0`,
  });
});

/** Those that an address may decommission, the youngest first, from a place in the list on. */
export const POOLS_OF_DECOMMISSIONER = batchedQuery<
  [destination: Destination, height: number, poolId: Id, items: number],
  PoolRow
>({
  name: 'pools_of_decommissioner',
  asked: { destination: 'bytea', height: 'integer', pool_id: 'bytea', items: 'integer' },
  key: 'pool_id',
  select: `
    (select ${POOL_COLUMNS} from pools
     where decommission_destination = q.destination and staker_balance > 0
       and creation_height = q.height and pool_id > q.pool_id
     order by pool_id limit q.items)
    union all
    (select ${POOL_COLUMNS} from pools
     where decommission_destination = q.destination and staker_balance > 0 and creation_height < q.height
     order by creation_height desc, pool_id limit q.items)
    limit q.items`,
});
