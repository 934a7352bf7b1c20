/** Lists of the active pools in every order, plain or with all that is known of each. */
import { MIN_APR_SECONDS, MONTH_SECONDS } from '../../../chain/apr-units.ts';
import { EXPECTED_BLOCK } from '../../../chain/effective-stake.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import type { ColumnType } from '../../postgres/column-values.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { blockAtTimeSql } from '../blocks/block-lists.ts';
import { type AllEntriesSelection, defineList, type OwnerSelection } from '../lists/define-list.ts';
import { defineAnchors, pageStartSql, walksFromSortKeySql } from '../lists/keyset.ts';
import type { SortFields } from '../lists/sort-key-text.ts';
import { POOL_COLUMNS, type PoolRow } from './pools.ts';

/**
 * `by_pledge`: the staker's balance. `by_blocks`: the blocks of the month. `by_apy`: the rate of the month. `by_margin`
 * lists the lowest first, the others the highest.
 */
export type PoolSort =
  | 'by_height'
  | 'by_pledge'
  | 'by_stake'
  | 'by_blocks'
  | 'by_margin'
  | 'by_apy'
  | 'by_apr_expected';

/** The columns by which lists are sorted. Together with the id they make the sort key. */
type OrderColumn =
  | 'creation_height'
  | 'staker_balance'
  | 'total_stake'
  | 'blocks_month'
  | 'margin_ratio_per_thousand'
  | 'apr_rank'
  | 'expected_rank';

/** A pool with the column by which its list is sorted. */
export type SortedPoolRow = PoolRow & Partial<Pick<ExpandedPoolRow & ExpectedRank, OrderColumn>>;

export interface ExpandedPoolRow extends PoolRow {
  /** The timestamp of the block that created it, in seconds since the epoch. */
  readonly creation_timestamp: number;
  /** The timestamp of the newest block. */
  readonly tip_timestamp: number;
  /** Delegations that hold something. */
  readonly delegation_count: number;
  /** Pledge, rewards and what is delegated. */
  readonly total_stake: Atoms;
  readonly effective_stake: Atoms;
  /** Sum of all pools. */
  readonly all_effective_stake: Atoms;
  /** All blocks in the 720 hours up to the tip's timestamp. */
  readonly all_blocks_month: number;
  /** What the blocks since the hour in which the month begins had as fees, on average, rounded down. */
  readonly mean_block_fees: Atoms;
  /** All blocks after the one that created it. */
  readonly blocks_since_creation: number;
  /** The blocks that its share of all effective stake made likely, in the same 720 hours, in thousandths of a block. */
  readonly expected_thousandths: bigint;
  /** Blocks that it made: in all, and in the 24 and 720 hours up to the tip's timestamp. */
  readonly blocks_total: number;
  readonly blocks_day: number;
  readonly blocks_month: number;
  /** The reward that 10^18 atoms would have got that were delegated for the month, or ever since; -1 if nothing was delegated. */
  readonly apy_rank: bigint;
  /** The same for a whole month at the rate since the pool's creation, or of its first day. */
  readonly apr_rank: bigint;
}

/** What only the list by it has: what a delegated coin may expect of a block, in a unit that is the same for all pools. */
interface ExpectedRank {
  readonly expected_rank: bigint;
}

/** A pool, active or not, with all that is known of it. */
export interface SinglePoolRow extends ExpandedPoolRow {
  /** Of the transaction that decommissioned it, and of its block; null for an active pool. */
  readonly decommission_tx_id: Id | null;
  readonly decommission_height: number | null;
  readonly decommission_timestamp: number | null;
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
  by_apy: { column: 'apr_rank', type: 'numeric', direction: 'desc', first: 'Infinity' },
  by_apr_expected: { column: 'expected_rank', type: 'numeric', direction: 'desc', first: 'Infinity' },
};

/** The orders that lists of pools come in. */
export const POOL_SORTS = Object.keys(SORTINGS) as PoolSort[];

type PoolListParameters = [place: Atoms | 'Infinity' | number, poolId: Id, skip: number, rowLimit: number];

const COLUMNS = `${POOL_COLUMNS}, delegation_count, total_stake, effective_stake, expected_base, changed_day, blocks_total,
                 blocks_day, blocks_month, apy_rank`;

/** The last block that is older than the month: no row in a chain that is younger. */
const BEFORE_MONTH = `
    select b.height from chain_tip tip cross join lateral (${blockAtTimeSql(`tip.timestamp - ${MONTH_SECONDS}`)}) b`;

/** The blocks after it. */
const BLOCKS_OF_MONTH = `(select height from chain_tip) - coalesce((${BEFORE_MONTH}), 0)`;

/** A value of the hour `h` that contains this block; `before` is the hour before it. In an hour, the blocks count equally. */
const ofHourBeforeMonth = (what: string) => `(
      select ${what} from hours h
      left join lateral (select expected_per_stake from hours where hour < h.hour order by hour desc limit 1) before on true
      where h.first_height <= (${BEFORE_MONTH}) order by h.first_height desc limit 1)`;
const DAY_BEFORE_MONTH = ofHourBeforeMonth('h.hour / 24');
const EXPECTED_PER_STAKE_BEFORE_MONTH =
  ofHourBeforeMonth(`h.expected_per_stake - div((h.expected_per_stake - coalesce(before.expected_per_stake, 0))
             * (h.height - (${BEFORE_MONTH})), h.height - h.first_height + 1)`);

/** {@link ExpandedPoolRow.mean_block_fees}, by the whole hours since the one with that block. */
const MEAN_BLOCK_FEES = `(
      select div(fees - coalesce(${ofHourBeforeMonth('h.fees')}, 0), greatest(height - coalesce(${ofHourBeforeMonth('h.height')}, 0), 1))
      from hours order by hour desc limit 1)`;

const IS_OLD = `p.creation_height <= coalesce((${BEFORE_MONTH}), -1)`;

/** {@link ExpandedPoolRow.apr_rank} of a pool `p` that is not old: see docs/api.md#expanded-lists. */
const RANK_OF_YOUNG = `(
      select case when p.apy_rank < 0 then -1
                  else div(p.apy_rank * ${MONTH_SECONDS}, least(greatest(a.age, ${MIN_APR_SECONDS}), ${MONTH_SECONDS})) end
      from (select (select timestamp from chain_tip) - b.timestamp as age from blocks b where b.height = p.creation_height) a)`;
const APR_RANK = `case when ${IS_OLD} then p.apy_rank else ${RANK_OF_YOUNG} end`;

/** {@link ExpectedRank} of a pool `p`, as `expectedApr` of src/answers/pool-figures.ts, with the tip's subsidy. */
const EXPECTED_RANK = `
      div(greatest((select staker_reward + delegations_reward - fees from blocks order by height desc limit 1)
                   + ${MEAN_BLOCK_FEES} - p.cost_per_block, 0)
          * (1000 - p.margin_ratio_per_thousand) * p.effective_stake, p.total_stake)`;
/** The active pools with it. */
const WITH_EXPECTED_RANK = `(
      select p.*, ${EXPECTED_RANK} as expected_rank from pools p where staker_balance > 0 offset 0) p`;

/**
 * {@link ExpandedPoolRow.expected_thousandths} of a pool `p`: see docs/indexing-rules.md#expected-blocks. Of the month's first
 * day, it counts the stake at its end.
 */
const EXPECTED_THOUSANDTHS = `
           (select greatest(div((e.now - coalesce(e.before_month, 0)) * 1000, ${EXPECTED_BLOCK}), 0)
            from (select p.expected_base + p.effective_stake * (select expected_per_stake from hours order by hour desc limit 1) as now,
                         case when ${IS_OLD} then (
                           select s.expected_base + s.effective_stake * ${EXPECTED_PER_STAKE_BEFORE_MONTH}
                           from ((select p.expected_base, p.effective_stake where p.changed_day <= ${DAY_BEFORE_MONTH})
                                 union all
                                 (select expected_base, effective_stake from pool_days
                                  where pool_id = p.pool_id and day <= ${DAY_BEFORE_MONTH} order by day desc limit 1)) s
                           limit 1) end as before_month) e) as expected_thousandths`;

/**
 * Adds to pools what other tables know. Subqueries keep their order, which a join need not, and PostgreSQL runs the first
 * three once for all rows.
 */
const expanded = (pools: string, aprRank: string) => `
    select p.*, (select effective_stake from statistics where currency = '') as all_effective_stake,
           ${BLOCKS_OF_MONTH} as all_blocks_month, ${MEAN_BLOCK_FEES} as mean_block_fees,${aprRank && ` ${aprRank} as apr_rank,`}
           (select height from chain_tip) - p.creation_height as blocks_since_creation,${EXPECTED_THOUSANDTHS},
           (select timestamp from blocks where height = p.creation_height) as creation_timestamp,
           (select timestamp from chain_tip) as tip_timestamp
    from (${pools}) p`;

type Walks = Parameters<typeof walksFromSortKeySql>[0];

/** The pools after a place in an order. By the paid APR, the old ones come from their index, the others are ranked anew. */
function walksSql(sort: PoolSort, columns: string, rest: Pick<Walks, 'from' | 'limit'>): string {
  const { column, direction } = SORTINGS[sort];
  const walks = { ...rest, where: 'staker_balance > 0', key: column, id: 'pool_id', direction, place: 'place' };
  if (sort === 'by_apr_expected') return walksFromSortKeySql({ ...walks, table: WITH_EXPECTED_RANK, columns });
  if (sort !== 'by_apy') return walksFromSortKeySql({ ...walks, table: 'pools', columns });
  const old = { ...walks, table: 'pools p', where: `staker_balance > 0 and ${IS_OLD}`, key: 'apy_rank' };
  const young = `(select p.*, ${RANK_OF_YOUNG} as ${column} from pools p where staker_balance > 0 and not ${IS_OLD} offset 0) p`;
  return `
    select * from (
      ${walksFromSortKeySql({ ...old, columns: `${columns}, apy_rank as ${column}` })}
      union all
      ${walksFromSortKeySql({ ...walks, table: young, columns: `${columns}, ${column}` })}) ranked order by ${column} ${direction}, pool_id`;
}

function poolQuery<Row extends PoolRow>(sort: PoolSort, isExpanded: boolean) {
  const { column, type } = SORTINGS[sort];
  const keyed = (columns: string) =>
    sort === 'by_apy' || columns.includes(column) ? columns : `${columns}, ${column}`;
  const start = `
    select ${column} as place, pool_id from (${walksSql(sort, keyed('pool_id'), { limit: ':skip' })}) walked`;
  const page = `
    select l.* from (${pageStartSql(['place', 'pool_id'], start)}) s
    cross join lateral (${walksSql(sort, keyed(isExpanded ? COLUMNS : POOL_COLUMNS), { from: 's.' })} limit :row_limit) l`;
  return defineQuery<PoolListParameters, Row>({
    name: `${isExpanded ? 'expanded' : 'listed'}_pools_${sort}`,
    parameters: { place: type, pool_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
    select: isExpanded ? expanded(page, sort === 'by_apy' ? '' : APR_RANK) : page,
  });
}

function forEachSort<T>(make: (sort: PoolSort) => T): Readonly<Record<PoolSort, T>> {
  return Object.fromEntries(POOL_SORTS.map((sort) => [sort, make(sort)])) as Record<PoolSort, T>;
}

/** A pool with all that is known of it; no row if there never was one. */
export const getExpandedPool = queryFunction<[poolId: Id], SinglePoolRow>({
  name: 'expanded_pool',
  parameters: { pool_id: 'bytea' },
  select: `
    select e.*, x.tx_id as decommission_tx_id, b.height as decommission_height, b.timestamp as decommission_timestamp
    from (${expanded(`select ${COLUMNS}, decommissioned_by from pools where pool_id = :pool_id`, APR_RANK)}) e
    left join transactions x on x.tx_index = e.decommissioned_by
    left join blocks b on b.height = x.height`,
});

/** The position of a pool in a list: the value that the list is sorted by, and the pool's id. */
export interface PoolSortKey {
  readonly sortKey: Atoms | number;
  readonly poolId: Id;
}

/** The pools with a sort key that is no column of theirs. */
const ANCHORED: Readonly<Partial<Record<PoolSort, string>>> = {
  by_apy: `(select p.*, ${APR_RANK} as apr_rank from pools p) p`,
  by_apr_expected: WITH_EXPECTED_RANK,
};

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
      key: `${column} || '.' || encode(pool_id, 'hex')`,
      select: `
    select ${column}, pool_id, row_number() over (order by ${column} ${direction}, pool_id) as place
    from ${ANCHORED[sort] ?? 'pools'} where staker_balance > 0`,
    }),
  });
}

/** The active pools. */
export const SORTED_POOL_LISTS = forEachSort((sort) => sortedPoolList<SortedPoolRow>(sort, false));

/** The lists of pools with all fields. */
export const EXPANDED_POOL_LISTS = forEachSort((sort) =>
  sortedPoolList<ExpandedPoolRow & Partial<ExpectedRank>>(sort, true),
);

/** The pools that an address may decommission, newest first, from a sort key on. */
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
