/** The node's fee rates, for those that can do without them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeeRatePoint, recommendedFeeRates } from '../chain/fee-rate.ts';
import type { Atoms } from '../chain/types.ts';
import { type FeeRateCache, readLeastFeeRate } from './fee-rate-cache.ts';

interface FeeRateSource {
  readonly feeRates: FeeRateCache | null;
}

/** The longest time that pages with fee rates are cached. The rates themselves may be half a minute old. */
export const FEE_RATES_MAX_AGE_MS = 10_000;
/** How long a page waits for the node. */
const PATIENCE_MS = 500;

/** Returns the fee-rate points; null while they are unknown, or if the node takes too long. Never rejects. */
export async function knownFeeRatePoints({ feeRates }: FeeRateSource): Promise<readonly FeeRatePoint[] | null> {
  if (feeRates === null) return null;
  return Promise.race([feeRates.points.read().catch(() => null), sleep(PATIENCE_MS, null, { ref: false })]);
}

/** Returns the rate of the next block, in atoms per kilobyte; null as {@link knownFeeRatePoints}. */
export async function knownFastestRate(source: FeeRateSource): Promise<Atoms | null> {
  const points = await knownFeeRatePoints(source);
  return points && recommendedFeeRates(points, await readLeastFeeRate(source.feeRates!, points)).fastest;
}
