/** Changes pools, together with their effective stake and its total. */
import { COIN } from '../chain/currency.ts';
import { effectiveStake } from '../chain/effective-stake.ts';
import type { Network } from '../chain/networks/network.ts';
import { changeStatistics } from './balances-and-statistics.ts';
import { type BlockContext, blockContextOf, type TransactionContext } from './block-context.ts';
import type { Pool } from './rows.ts';

type ChangedByBlocks = Pick<
  Pool,
  | 'pledge'
  | 'rewards'
  | 'delegationsBalance'
  | 'delegationCount'
  | 'blocksTotal'
  | 'blocksDay'
  | 'blocksMonth'
  | 'monthRate'
  | 'stakerRewards'
  | 'delegationRewards'
  | 'decommissionedBy'
>;

const hasStake = ({ pledge, rewards }: Pool): boolean => pledge + rewards > 0n;

/** Stores a new pool, or `pool` with a change, and computes its effective stake. */
export function setPool(
  context: BlockContext | TransactionContext,
  pool: Pool,
  change: Partial<ChangedByBlocks> = {},
): void {
  const block = blockContextOf(context);
  const { state, network } = block;
  const changed = { ...pool, ...change };
  const before = state.pools.find(pool.poolId);
  if (before !== null && before.changedDay < block.day) block.poolDays.push(before);
  const stake = effectiveStakeOf(network, changed);
  const expectedBase = pool.expectedBase + (pool.effectiveStake - stake) * block.expectedPerStake;
  state.pools.set(pool.poolId, { ...changed, effectiveStake: stake, expectedBase, changedDay: block.day });
  block.counts.pools += Number(hasStake(changed)) - Number(before !== null && hasStake(before));
  block.counts.delegations += changed.delegationCount - (before?.delegationCount ?? 0);
  if (stake !== pool.effectiveStake) {
    changeStatistics(context, COIN, { effectiveStake: stake - pool.effectiveStake });
  }
}

/** Returns the effective stake of a pool; 0 if it was decommissioned. */
export function effectiveStakeOf(
  { finalSupply }: Network,
  { pledge, rewards, delegationsBalance }: Pick<Pool, 'pledge' | 'rewards' | 'delegationsBalance'>,
): bigint {
  const stakerBalance = pledge + rewards;
  return stakerBalance === 0n ? 0n : effectiveStake(finalSupply, stakerBalance, delegationsBalance);
}
