/** Staking pools. Lists hold the living ones: a decommissioned pool has no staker balance. */
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

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

const COLUMNS = `pool_id, creation_height, staker_balance, delegations_balance, decommission_destination,
                 vrf_public_key, margin_ratio_per_thousand, cost_per_block`;

/** A pool, decommissioned or not. */
export const POOL = batchedQuery<[poolId: Id], PoolRow>({
  name: 'pool',
  asked: { pool_id: 'bytea' },
  key: 'pool_id',
  select: `select ${COLUMNS} from pools where pool_id = q.pool_id`,
});

/** The youngest first; from a place in the list on. */
export const POOLS_BY_HEIGHT = batchedQuery<[height: number, poolId: Id, skipped: number, items: number], PoolRow>({
  name: 'pools_by_height',
  asked: { height: 'integer', pool_id: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'pool_id',
  select: `
    (select ${COLUMNS} from pools
     where staker_balance > 0 and creation_height = q.height and pool_id > q.pool_id
     order by pool_id limit q.items + q.skipped)
    union all
    (select ${COLUMNS} from pools
     where staker_balance > 0 and creation_height < q.height
     order by creation_height desc, pool_id limit q.items + q.skipped)
    offset q.skipped limit q.items`,
});

/** The largest staker balance first; from a place in the list on. */
export const POOLS_BY_PLEDGE = batchedQuery<
  [balance: Atoms | 'Infinity', poolId: Id, skipped: number, items: number],
  PoolRow
>({
  name: 'pools_by_pledge',
  asked: { balance: 'numeric', pool_id: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'pool_id',
  select: `
    (select ${COLUMNS} from pools
     where staker_balance > 0 and staker_balance = q.balance and pool_id > q.pool_id
     order by pool_id limit q.items + q.skipped)
    union all
    (select ${COLUMNS} from pools
     where staker_balance > 0 and staker_balance < q.balance
     order by staker_balance desc, pool_id limit q.items + q.skipped)
    offset q.skipped limit q.items`,
});
