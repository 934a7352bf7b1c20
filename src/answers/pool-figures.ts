/** What is computed of a pool: its share of the stake, the blocks to expect, and yearly rates. */

import { MONTH_HOURS, RATE_BASE_ATOMS, YEAR_HOURS } from '../chain/apr-units.ts';
import { decimalText } from '../chain/decimal-text.ts';
import { effectiveStake } from '../chain/effective-stake.ts';
import { type Network, rewardDistributionVersionAt, subsidyAt } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';
import type { ExpandedPoolRow } from '../store/queries/pools/pool-lists.ts';

export const STAKE_SHARE_DECIMALS = 9;

export const EXPECTED_BLOCKS_DECIMALS = 3;

export const APR_DECIMALS = 6;

/**
 * Each unit is the constant of a formula times the power of ten for its decimals: value = quotient(numerator × unit,
 * denominator).
 */
const STAKE_SHARE_UNIT = 10n ** BigInt(STAKE_SHARE_DECIMALS);

const APR_UNIT = BigInt(YEAR_HOURS) * 10n ** BigInt(APR_DECIMALS);

const APR_DIVISOR = BigInt(MONTH_HOURS) * RATE_BASE_ATOMS;

/** Returns `stake_share` as a decimal number. */
export function stakeShare({ effective_stake, all_effective_stake }: ExpandedPoolRow): string {
  return decimalText(quotient(effective_stake * STAKE_SHARE_UNIT, all_effective_stake), STAKE_SHARE_DECIMALS);
}

/** Returns `expected_blocks_month` as a decimal number. */
export function expectedBlocksOfMonth({ expected_thousandths }: ExpandedPoolRow): string {
  return decimalText(expected_thousandths, EXPECTED_BLOCKS_DECIMALS);
}

/** Was the pool created within the 720 hours before the tip? */
export function isYoungerThanMonth({ blocks_since_creation, all_blocks_month }: ExpandedPoolRow): boolean {
  return blocks_since_creation < all_blocks_month;
}

/** Returns `apr_month` in millionths; null if nothing was delegated. */
export function aprOfMonth({ apr_rank }: ExpandedPoolRow): bigint | null {
  return apr_rank < 0n ? null : (apr_rank * APR_UNIT) / APR_DIVISOR;
}

/**
 * Returns `apr_expected` in millionths: a year has as many blocks as the 720 hours let expect, each with the subsidy of the next
 * block and their mean fees. Null where the old distribution of rewards holds, which pays the same for however little is delegated.
 */
export function expectedApr(network: Network, row: ExpandedPoolRow): bigint | null {
  const nextHeight = row.creation_height + row.blocks_since_creation + 1;
  switch (rewardDistributionVersionAt(network, nextHeight)) {
    case 0:
      return null;
    case 1: {
      const reward = subsidyAt(network, nextHeight) + row.mean_block_fees;
      const left = reward > row.cost_per_block ? reward - row.cost_per_block : 0n;
      const ofDelegators = left * BigInt(1_000 - row.margin_ratio_per_thousand) * BigInt(row.all_blocks_month);
      const stakes = row.total_stake * row.all_effective_stake * 1_000n * BigInt(MONTH_HOURS);
      return quotient(ofDelegators * row.effective_stake * APR_UNIT, stakes);
    }
  }
}

/** Returns the pool as it would be with more atoms delegated to it: its stake, and so its share of all stakes, are larger. */
export function withMoreDelegated(network: Network, row: ExpandedPoolRow, atoms: Atoms): ExpandedPoolRow {
  const { staker_balance, total_stake } = row;
  const delegations_balance = row.delegations_balance + atoms;
  const effective_stake = effectiveStake(network.finalSupply, staker_balance, delegations_balance);
  const all_effective_stake = row.all_effective_stake - row.effective_stake + effective_stake;
  return { ...row, delegations_balance, total_stake: total_stake + atoms, effective_stake, all_effective_stake };
}

/** Divides, rounded down; 0 for a denominator of 0. */
function quotient(numerator: bigint, denominator: bigint): bigint {
  return denominator === 0n ? 0n : numerator / denominator;
}
