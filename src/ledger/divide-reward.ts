/** The division of the reward of a proof-of-stake block (docs/indexing-rules.md#reward-distribution). */
import { RATE_BASE_ATOMS } from '../chain/apr-units.ts';
import type { Atoms } from '../chain/types.ts';

interface RewardTerms {
  /** Subsidy and fees. */
  readonly reward: Atoms;
  readonly costPerBlock: Atoms;
  readonly marginRatioPerThousand: number;
  /** Pledge and earlier rewards. */
  readonly stakerBalance: Atoms;
  readonly delegationsBalance: Atoms;
}

/**
 * Returns the staker's own part: the cost, and of the rest the margin; in version 1 first the staker's share by stake. A
 * reward below the cost goes to the staker as a whole.
 */
export function stakerPart(version: 0 | 1, terms: RewardTerms): Atoms {
  const { reward, costPerBlock, stakerBalance } = terms;
  const margin = BigInt(terms.marginRatioPerThousand);
  if (reward < costPerBlock) return reward;
  const rest = reward - costPerBlock;
  if (version === 0) return costPerBlock + (rest * margin) / 1000n;
  const poolBalance = stakerBalance + terms.delegationsBalance;
  const byShare = poolBalance === 0n ? 0n : (rest * stakerBalance) / poolBalance;
  return costPerBlock + byShare + ((rest - byShare) * margin) / 1000n;
}

/**
 * Returns a delegation's part of the delegators' reward (`pot`), rounded down. What rounding leaves goes to the staker.
 */
export function delegatorShare(pot: Atoms, balance: Atoms, delegationsBalance: Atoms): Atoms {
  return (pot * balance) / delegationsBalance;
}

/** Returns the reward of 10^18 delegated atoms, rounded down: `delegations` is paid for `delegationsBalance` in all. */
export function rewardRate(delegations: Atoms, delegationsBalance: Atoms): bigint {
  return delegationsBalance === 0n ? 0n : (delegations * RATE_BASE_ATOMS) / delegationsBalance;
}
