/**
 * What a pool and its delegations had after any block, to the atom: the blocks of the pool since the end of the day before are
 * applied again.
 */
import { poolAddress } from '../../chain/address.ts';
import { createsPool } from '../../chain/input-and-output-kinds.ts';
import { rewardDistributionVersionAt, subsidyAt } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { delegatorShare, stakerPart } from '../../ledger/divide-reward.ts';
import { parseOutputEntryJson } from '../../render/stored-json.ts';
import * as stakes from '../../store/queries/pools/stakes-at-height.ts';
import type { MeshSnapshot } from './mesh-route.ts';

export interface PoolStakes {
  /** Pledge and rewards after the block; 0 before the pool was created, and once it is decommissioned. */
  readonly stakerBalance: Atoms;
  /** The same before the reward of the block: what a decommission in this block pays out. */
  readonly stakerBalanceBefore: Atoms;
  readonly delegations: ReadonlyMap<Id, Atoms>;
  /** What the block at this height paid to delegations; empty if it is not a block of the pool. */
  readonly shares: ReadonlyMap<Id, Atoms>;
}

/** Reads what a pool and its delegations, or only the given one, had after the block at a height. Null if there is no such pool. */
export async function readPoolStakes(
  snapshot: MeshSnapshot,
  poolId: Id,
  height: number,
  delegationId: Id | null = null,
): Promise<PoolStakes | null> {
  const { network } = snapshot;
  const [pools, events, before] = await Promise.all([
    snapshot.read(stakes.listPoolAt, poolId, height),
    snapshot.read(stakes.listPoolEventsOfDay, poolId, height),
    snapshot.read(stakes.listDelegationsBeforeDay, poolId, height, delegationId),
  ]);
  const address = poolAddress(network, poolId);
  const [pool] = pools.flatMap((row) => {
    const { utxo } = parseOutputEntryJson(row.entry);
    return createsPool(utxo) && utxo.pool_id === address ? [{ ...row, pledge: BigInt(utxo.data.amount.atoms) }] : [];
  });
  if (pool === undefined) return null;

  const delegations = new Map(before.map(({ delegation_id, balance }) => [delegation_id, balance]));
  const shares = new Map<Id, Atoms>();
  let stakerBalance = pool.pledge + pool.staker_rewards;
  let delegationsBalance = pool.delegations_balance;
  let stakerBalanceBefore = stakerBalance;
  // The transactions of a block come before the block: null sorts last.
  for (const event of events) {
    const { height: at, delegation_id: moved, change, fees } = event;
    if (moved !== null) {
      delegationsBalance += change;
      if (delegations.has(moved)) delegations.set(moved, delegations.get(moved)! + change);
      continue;
    }
    const reward = subsidyAt(network, at) + fees;
    const { cost_per_block: costPerBlock, margin_ratio_per_thousand: marginRatioPerThousand } = pool;
    const terms = { reward, costPerBlock, marginRatioPerThousand, stakerBalance, delegationsBalance };
    const pot = reward - stakerPart(rewardDistributionVersionAt(network, at), terms);
    for (const [id, balance] of delegations) {
      const share = delegationsBalance === 0n ? 0n : delegatorShare(pot, balance, delegationsBalance);
      if (share === 0n) continue;
      delegations.set(id, balance + share);
      if (at === height) shares.set(id, share);
    }
    stakerBalance += event.staker_reward;
    delegationsBalance += event.delegations_reward;
    if (at < height) stakerBalanceBefore = stakerBalance;
  }
  const exists = pool.creation_height <= height && (pool.decommissioned_height ?? height + 1) > height;
  return { stakerBalance: exists ? stakerBalance : 0n, stakerBalanceBefore, delegations, shares };
}
