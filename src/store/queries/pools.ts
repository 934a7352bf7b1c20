/** Staking pools. Lists hold the living ones: a decommissioned pool has no staker balance. */
import { LARGEST_HEIGHT } from '../../chain/networks/network.ts';
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';
import { type Everything, listAnchors, type OffsetList, type OffsetPage } from './keyset.ts';

export interface PoolRow {
  readonly pool_id: Id;
  readonly creation_height: number;
  /** Pledge and the staker's rewards. */
  readonly staker_balance: Atoms;
  readonly delegations_balance: Atoms;
  readonly decommission_destination: Destination;
  readonly vrf_public_key: Hex;
  readonly margin_ratio_per_thousand: number;
  readonly cost_per_block: Atoms;
}

export const POOL_COLUMNS = `pool_id, creation_height, staker_balance, delegations_balance, decommission_destination,
                 vrf_public_key, margin_ratio_per_thousand, cost_per_block`;

const POOL = batchedQuery<[poolId: Id], PoolRow>({
  name: 'pool',
  parameters: { pool_id: 'bytea' },
  presenceColumn: 'pool_id',
  select: `select ${POOL_COLUMNS} from pools where pool_id = q.pool_id`,
});

const POOLS_BY_HEIGHT = batchedQuery<[height: number, poolId: Id, skip: number, rowLimit: number], PoolRow>({
  name: 'pools_by_height',
  parameters: { height: 'integer', pool_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
  presenceColumn: 'pool_id',
  select: `
    (select ${POOL_COLUMNS} from pools
     where staker_balance > 0 and creation_height = q.height and pool_id > q.pool_id
     order by pool_id limit q.row_limit + q.skip)
    union all
    (select ${POOL_COLUMNS} from pools
     where staker_balance > 0 and creation_height < q.height
     order by creation_height desc, pool_id limit q.row_limit + q.skip)
    offset q.skip limit q.row_limit`,
});

const POOLS_BY_PLEDGE = batchedQuery<
  [stakerBalance: Atoms | 'Infinity', poolId: Id, skip: number, rowLimit: number],
  PoolRow
>({
  name: 'pools_by_pledge',
  parameters: { staker_balance: 'numeric', pool_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
  presenceColumn: 'pool_id',
  select: `
    (select ${POOL_COLUMNS} from pools
     where staker_balance > 0 and staker_balance = q.staker_balance and pool_id > q.pool_id
     order by pool_id limit q.row_limit + q.skip)
    union all
    (select ${POOL_COLUMNS} from pools
     where staker_balance > 0 and staker_balance < q.staker_balance
     order by staker_balance desc, pool_id limit q.row_limit + q.skip)
    offset q.skip limit q.row_limit`,
});

const POOL_BLOCK_COUNT = batchedQuery<[poolId: Id, from: bigint, to: bigint], { block_count: number }>({
  name: 'pool_block_count',
  parameters: { pool_id: 'bytea', since: 'bigint', until: 'bigint' },
  presenceColumn: 'block_count',
  select: `
    select (
      select count(*) from blocks b
      where b.pool_id = q.pool_id and b.timestamp between q.since and q.until
    ) as block_count
    from pools p where p.pool_id = q.pool_id`,
});

/** A pool, decommissioned or not; no row for an id that never was one. */
export function getPool(store: QueryRunner, poolId: Id): Promise<SnapshotRows<PoolRow>> {
  return store.query(POOL, poolId);
}

export interface PoolHeightKey {
  /** At which the pool was created. */
  readonly height: number;
  readonly poolId: Id;
}

export interface PoolPledgeKey {
  readonly stakerBalance: Atoms;
  readonly poolId: Id;
}

/** The order of a list of pools, ties by id. `by_height`: the youngest first; `by_pledge`: the largest staker balance. */
export type PoolSort = 'by_height' | 'by_pledge';

export interface PoolKeys {
  readonly by_height: PoolHeightKey;
  readonly by_pledge: PoolPledgeKey;
}

/** The living pools. */
export function listPools<Sort extends PoolSort>(
  store: QueryRunner,
  { sort, ...page }: { readonly sort: Sort } & OffsetPage<PoolKeys[Sort]>,
): Promise<SnapshotRows<PoolRow>> {
  return sort === 'by_height'
    ? listPoolsByHeight(store, page as OffsetPage<PoolHeightKey>)
    : listPoolsByPledge(store, page as OffsetPage<PoolPledgeKey>);
}

function listPoolsByHeight(
  store: QueryRunner,
  { after, skip = 0, limit }: OffsetPage<PoolHeightKey>,
): Promise<SnapshotRows<PoolRow>> {
  return store.query(POOLS_BY_HEIGHT, after?.height ?? LARGEST_HEIGHT, after?.poolId ?? '', skip, limit);
}

function listPoolsByPledge(
  store: QueryRunner,
  { after, skip = 0, limit }: OffsetPage<PoolPledgeKey>,
): Promise<SnapshotRows<PoolRow>> {
  return store.query(POOLS_BY_PLEDGE, after?.stakerBalance ?? 'Infinity', after?.poolId ?? '', skip, limit);
}

/** The lists of living pools with their anchors, by sort order. */
export const POOL_LISTS = {
  by_height: {
    page: listPoolsByHeight,
    anchors: listAnchors<Everything, PoolHeightKey>({
      list: 'pools_by_height',
      parameters: {},
      selection: () => [],
      key: `creation_height || '.' || encode(pool_id, 'hex')`,
      select: `
        select creation_height, pool_id, row_number() over (order by creation_height desc, pool_id) as place
        from pools where staker_balance > 0`,
      parse: ([height, poolId]) => ({ height: Number(height), poolId: poolId! }),
    }),
  } satisfies OffsetList<Everything, PoolHeightKey, PoolRow>,
  by_pledge: {
    page: listPoolsByPledge,
    anchors: listAnchors<Everything, PoolPledgeKey>({
      list: 'pools_by_pledge',
      parameters: {},
      selection: () => [],
      key: `staker_balance || '.' || encode(pool_id, 'hex')`,
      select: `
        select staker_balance, pool_id, row_number() over (order by staker_balance desc, pool_id) as place
        from pools where staker_balance > 0`,
      parse: ([stakerBalance, poolId]) => ({ stakerBalance: BigInt(stakerBalance!), poolId: poolId! }),
    }),
  } satisfies OffsetList<Everything, PoolPledgeKey, PoolRow>,
};

/**
 * How many main-chain blocks a pool made with `from ≤ timestamp ≤ to`, in seconds since the epoch; no row for an id that
 * never was a pool.
 */
export function countPoolBlocks(
  store: QueryRunner,
  { poolId, from, to }: { readonly poolId: Id; readonly from: bigint; readonly to: bigint },
): Promise<SnapshotRows<{ readonly block_count: number }>> {
  return store.query(POOL_BLOCK_COUNT, poolId, from, to);
}
