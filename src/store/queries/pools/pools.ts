/** A staking pool, active or decommissioned. */
import type { Atoms, Destination, Hex, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

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

/** Reads a pool, decommissioned or not. No row if there never was a pool with the id. */
export const getPool = queryFunction<[poolId: Id], PoolRow>({
  name: 'pool',
  parameters: { pool_id: 'bytea' },
  select: `select ${POOL_COLUMNS} from pools where pool_id = :pool_id`,
});

/**
 * Counts the main-chain blocks that a pool made with `from ≤ timestamp ≤ to`, in seconds since the epoch; no row for an
 * id that never was a pool.
 */
export const countPoolBlocks = queryFunction<[poolId: Id, from: bigint, to: bigint], { readonly block_count: number }>({
  name: 'pool_block_count',
  parameters: { pool_id: 'bytea', since: 'bigint', until: 'bigint' },
  select: `
    select (
      select count(*) from blocks b
      where b.pool_id = :pool_id and b.timestamp between :since and :until
    ) as block_count
    from pools p where p.pool_id = :pool_id`,
});
