/** Lists of the active pools in every order, plain or with all that is known of each. */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import { MONTH_SECONDS } from '../../../chain/reward-rates.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import type { ColumnType } from '../../postgres/column-values.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { blockAtTimeSql } from '../blocks/block-lists.ts';
import { type AllEntriesSelection, defineList, type OwnerSelection } from '../lists/define-list.ts';
import { defineAnchors, pageStartSql, walksFromSortKeySql } from '../lists/keyset.ts';
import type { SortFields } from '../lists/sort-key-text.ts';
import { POOL_COLUMNS, type PoolRow } from './pools.ts';

/**
 * `by_pledge`: the staker's balance. `by_blocks`: the blocks of the month. `by_margin` lists the lowest first, the
 * others the highest.
 */
export type PoolSort = 'by_height' | 'by_pledge' | 'by_stake' | 'by_blocks' | 'by_margin' | 'by_apy';

/** The columns by which lists are sorted. Together with the id they make the sort key. */
type OrderColumn =
  | 'creation_height'
  | 'staker_balance'
  | 'total_stake'
  | 'blocks_month'
  | 'margin_ratio_per_thousand'
  | 'apy_rank';

/** A pool with the column by which its list is sorted. */
export type SortedPoolRow = PoolRow & Partial<Pick<ExpandedPoolRow, OrderColumn>>;

export interface ExpandedPoolRow extends PoolRow {
  /** The timestamp of the block that created it, in seconds since the epoch. */
  readonly creation_timestamp: number;
  /** Delegations that hold something. */
  readonly delegation_count: number;
  /** Pledge, rewards and what is delegated. */
  readonly total_stake: Atoms;
  readonly effective_stake: Atoms;
  /** Sum of all pools. */
  readonly all_effective_stake: Atoms;
  /** All blocks in the 720 hours up to the tip's timestamp. */
  readonly all_blocks_month: number;
  /** All blocks after the one that created it. */
  readonly blocks_since_creation: number;
  /** Blocks that it made: in all, and in the 24 and 720 hours up to the tip's timestamp. */
  readonly blocks_total: number;
  readonly blocks_day: number;
  readonly blocks_month: number;
  /** The reward that 10^18 atoms delegated for the whole month would have got; -1 if nothing was delegated. */
  readonly apy_rank: bigint;
}

/** The place before the first entry is `first`; entries after a place have the same key and a higher id, or a later key. */
interface PoolSorting {
  readonly column: OrderColumn;
  readonly type: ColumnType;
  readonly direction: 'asc' | 'desc';
  readonly first: Atoms | 'Infinity' | number;
}

const SORTINGS: Readonly<Record<PoolSort, PoolSorting>> = {
  by_height: { column: 'creation_height', type: 'integer', direction: 'desc', first: MAX_HEIGHT },
  by_pledge: { column: 'staker_balance', type: 'numeric', direction: 'desc', first: 'Infinity' },
  by_stake: { column: 'total_stake', type: 'numeric', direction: 'desc', first: 'Infinity' },
  by_blocks: { column: 'blocks_month', type: 'integer', direction: 'desc', first: MAX_HEIGHT },
  by_margin: { column: 'margin_ratio_per_thousand', type: 'integer', direction: 'asc', first: -1 },
  by_apy: { column: 'apy_rank', type: 'numeric', direction: 'desc', first: 'Infinity' },
};

/** The orders that lists of pools come in. */
export const POOL_SORTS = Object.keys(SORTINGS) as PoolSort[];

type PoolListParameters = [place: Atoms | 'Infinity' | number, poolId: Id, skip: number, rowLimit: number];

const COLUMNS = `${POOL_COLUMNS}, delegation_count, total_stake, effective_stake, blocks_total, blocks_day, blocks_month,
                 apy_rank`;

/** The blocks after the last one that is older than the month. */
const BLOCKS_OF_MONTH = `
    select tip.height - coalesce((select height from (${blockAtTimeSql(`tip.timestamp - ${MONTH_SECONDS}`)}) b), 0)
    from chain_tip tip`;

/**
 * Adds to pools what other tables know. Subqueries keep their order, which a join need not, and PostgreSQL runs the first
 * two once for all rows.
 */
const expanded = (pools: string) => `
    select p.*, (select effective_stake from statistics where currency = '') as all_effective_stake,
           (${BLOCKS_OF_MONTH}) as all_blocks_month,
           (select height from chain_tip) - p.creation_height as blocks_since_creation,
           (select timestamp from blocks where height = p.creation_height) as creation_timestamp
    from (${pools}) p`;

function poolQuery<Row extends PoolRow>(sort: PoolSort, isExpanded: boolean) {
  const { column, type, direction } = SORTINGS[sort];
  const walks = { table: 'pools', where: 'staker_balance > 0', key: column, id: 'pool_id', direction, place: 'place' };
  const start = pageStartSql(
    ['place', 'pool_id'],
    walksFromSortKeySql({ ...walks, columns: `${column}, pool_id`, limit: ':skip' }),
  );
  const columns = isExpanded ? COLUMNS : POOL_COLUMNS.includes(column) ? POOL_COLUMNS : `${POOL_COLUMNS}, ${column}`;
  const page = `
    select l.* from (${start}) s
    cross join lateral (${walksFromSortKeySql({ ...walks, columns, from: 's.' })} limit :row_limit) l`;
  return defineQuery<PoolListParameters, Row>({
    name: `${isExpanded ? 'expanded' : 'listed'}_pools_${sort}`,
    parameters: { place: type, pool_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
    select: isExpanded ? expanded(page) : page,
  });
}

function forEachSort<T>(make: (sort: PoolSort) => T): Readonly<Record<PoolSort, T>> {
  return Object.fromEntries(POOL_SORTS.map((sort) => [sort, make(sort)])) as Record<PoolSort, T>;
}

/** An active pool with all that is known of it; no row for one that was decommissioned, or never was. */
export const getExpandedPool = queryFunction<[poolId: Id], ExpandedPoolRow>({
  name: 'expanded_pool',
  parameters: { pool_id: 'bytea' },
  select: expanded(`
      select ${COLUMNS} from pools
      where pool_id = :pool_id and staker_balance > 0`),
});

/** The position of a pool in a list: the value that the list is sorted by, and the pool's id. */
export interface PoolSortKey {
  readonly sortKey: Atoms | number;
  readonly poolId: Id;
}

/** The active pools in an order. Both kinds of rows have the same places, and so the same anchors. */
function sortedPoolList<Row extends SortedPoolRow>(sort: PoolSort, isExpanded: boolean) {
  const query = poolQuery<Row>(sort, isExpanded);
  const { column, direction, type, first } = SORTINGS[sort];
  const fields: SortFields<PoolSortKey> = { sortKey: type === 'integer' ? 'int32' : 'bigint', poolId: 'hash' };
  return defineList<AllEntriesSelection, PoolSortKey, Row>({
    name: () => `pool ${sort}`,
    fields,
    sortKey: (row) => ({ sortKey: row[column]!, poolId: row.pool_id }),
    read: (store, { after, skip = 0, limit }) =>
      store.query(query, after?.sortKey ?? first, after?.poolId ?? '', skip, limit),
    anchors: defineAnchors<AllEntriesSelection, PoolSortKey>({
      list: `sorted_pools_${sort}`,
      fields,
      parameters: {},
      selection: () => [],
      key: `${column} || '.' || encode(pool_id, 'hex')`,
      select: `
    select ${column}, pool_id, row_number() over (order by ${column} ${direction}, pool_id) as place
    from pools where staker_balance > 0`,
    }),
  });
}

/** The active pools. */
export const SORTED_POOL_LISTS = forEachSort((sort) => sortedPoolList<SortedPoolRow>(sort, false));

/** The lists of pools with all fields. */
export const EXPANDED_POOL_LISTS = forEachSort((sort) => sortedPoolList<ExpandedPoolRow>(sort, true));

/** The pools that an address may decommission, the youngest first, from a sort key on. */
const POOLS_OF_DECOMMISSIONER = defineQuery<
  [destination: Destination, height: number, poolId: Id, rowLimit: number],
  PoolRow
>({
  name: 'pools_of_decommissioner',
  parameters: { destination: 'bytea', height: 'integer', pool_id: 'bytea', row_limit: 'integer' },
  select: `${walksFromSortKeySql({
    table: 'pools',
    where: 'decommission_destination = :destination and staker_balance > 0',
    columns: POOL_COLUMNS,
    key: 'creation_height',
    id: 'pool_id',
  })}
    limit :row_limit`,
});

/** The active pools that an address may decommission. */
export const ADDRESS_POOL_LIST = defineList<OwnerSelection, { readonly height: number; readonly poolId: Id }, PoolRow>({
  name: ({ owner }) => `address-pools ${owner}`,
  fields: { height: 'int32', poolId: 'hash' },
  sortKey: ({ creation_height, pool_id }) => ({ height: creation_height, poolId: pool_id }),
  read: (store, { owner, after, limit }) =>
    store.query(POOLS_OF_DECOMMISSIONER, owner, after?.height ?? MAX_HEIGHT, after?.poolId ?? '', limit),
});
