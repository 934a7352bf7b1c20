/** Changes pools, and what depends on their stake. */
import { COIN } from '../chain/currency.ts';
import { effectiveStake } from '../chain/effective-stake.ts';
import type { Network } from '../chain/networks/network.ts';
import { changeStatistics } from './balances-and-statistics.ts';
import type { BlockContext, TransactionContext } from './block-context.ts';
import type { Pool } from './rows.ts';

/** A new pool, or `pool` after a change of its pledge, rewards or delegations. */
export function setPool(
  context: BlockContext | TransactionContext,
  pool: Pool,
  change: Partial<Pick<Pool, 'pledge' | 'rewards' | 'delegationsBalance' | 'delegationCount' | 'blocksTotal'>> = {},
): void {
  const { state, network } = 'block' in context ? context.block : context;
  const changed = { ...pool, ...change };
  const stake = effectiveStakeOf(network, changed);
  state.pools.set(pool.poolId, { ...changed, effectiveStake: stake });
  if (stake !== pool.effectiveStake) {
    changeStatistics(context, COIN, { effectiveStake: stake - pool.effectiveStake });
  }
}

/** The effective stake of a pool; nothing of one that was decommissioned. */
export function effectiveStakeOf(
  { finalSupply }: Network,
  { pledge, rewards, delegationsBalance }: Pick<Pool, 'pledge' | 'rewards' | 'delegationsBalance'>,
): bigint {
  const stakerBalance = pledge + rewards;
  return stakerBalance === 0n ? 0n : effectiveStake(finalSupply, stakerBalance, delegationsBalance);
}
