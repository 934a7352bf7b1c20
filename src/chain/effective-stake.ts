/** The weight of a pool in the draw for the producer of a block (docs/indexing-rules.md#effective-stake). */
import type { Atoms } from './types.ts';

/** A pool's stake counts up to 1/1000 of the final supply. */
const POOLS_AT_CAP = 1_000n;
/** The weight of a pledge above the minimum, as a fraction. */
const PLEDGE_INFLUENCE = { numerator: 75_375_728n, denominator: 1_000_000_000n };

/**
 * The effective stake in atoms of a pool whose staker has `stakerBalance` (pledge and rewards) and to which `delegated` is
 * delegated, both in atoms, on a network that will have `finalSupply` atoms.
 */
export function effectiveStake(finalSupply: Atoms, stakerBalance: Atoms, delegated: Atoms): Atoms {
  const cap = finalSupply / POOLS_AT_CAP;
  if (cap === 0n) return 0n;
  const stake = atMost(stakerBalance + delegated, cap);
  const pledge = atMost(stakerBalance, cap);
  const { numerator, denominator } = PLEDGE_INFLUENCE;
  const weighed = stake * cap * cap - (cap * stake - (cap - stake) * pledge) * pledge;
  const adjustment = (weighed * numerator) / (numerator + denominator) / (cap * cap);
  return stake - adjustment;
}

/**
 * The part of a block that is expected of a stake is its share of the effective stake of all pools. Sums of such parts are kept
 * as integers: this many for a whole block (docs/indexing-rules.md#expected-blocks).
 */
export const EXPECTED_BLOCK = 10n ** 30n;

function atMost(value: Atoms, limit: Atoms): Atoms {
  return value < limit ? value : limit;
}
