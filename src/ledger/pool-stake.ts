/** Changes pools, with their effective stake and its total, and delegations. */

import { COIN } from '../chain/currency.ts';
import { effectiveStake } from '../chain/effective-stake.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Id } from '../chain/types.ts';
import {
  type BlockContext,
  blockContextOf,
  refuseBlock,
  subtractOrRefuse,
  type TransactionContext,
} from './block-context.ts';
import { changeStatistics } from './currency-statistics.ts';
import type { Delegation, Pool } from './state-rows.ts';
import type { Writable } from './state-table.ts';

/** What is changed here is computed. */
type GivenChange = Partial<Omit<Pool, 'effectiveStake' | 'expectedBase' | 'changedDay'>>;

const hasStake = ({ pledge, rewards }: Pool): boolean => pledge + rewards > 0n;

/** Stores a new pool, or `pool` with a change, and computes its effective stake. */
export function setPool(context: BlockContext | TransactionContext, pool: Pool, change: GivenChange = {}): void {
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

/** Changes what a delegation has, its pool and the total of stakes by a signed amount. Returns its row, to be changed further. */
export function changeDelegatedBalance(
  context: TransactionContext,
  delegationId: Id,
  change: Atoms,
): Writable<Delegation> {
  const { delegations, pools } = context.block.state;
  const delegation = delegations.writable(delegationId) ?? refuseBlock(context, `unknown delegation ${delegationId}`);
  const pool = pools.get(delegation.poolId) ?? refuseBlock(context, `unknown pool ${delegation.poolId}`);
  const { balance: before } = delegation;
  const balance = subtractOrRefuse(context, 'the balance of a delegation', before, -change);
  const { delegationsBalance: total } = pool;
  setDelegationBalance(context.block, delegation, balance);
  setPool(context, pool, {
    delegationsBalance: subtractOrRefuse(context, 'the delegated total of a pool', total, -change),
    delegationCount: pool.delegationCount + Number(balance > 0n) - Number(before > 0n),
  });
  changeStatistics(context, COIN, { staked: change });
  return delegation;
}

/**
 * Changes the balance of a delegation in its row, which `StateTable.writable` returned. If this is the first change on a later
 * day, it is recorded as it was.
 */
export function setDelegationBalance(
  { day, delegationDays }: BlockContext,
  delegation: Writable<Delegation>,
  balance: Atoms,
): void {
  if (delegation.changedDay < day) delegationDays.push({ ...delegation });
  delegation.balance = balance;
  delegation.changedDay = day;
}
