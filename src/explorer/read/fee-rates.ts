/** The node's fee rates, for pages that can do without them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeeRateCache } from '../../answers/fee-rate-cache.ts';
import type { FeeRatePoint } from '../../chain/fee-rate.ts';
import type { Atoms } from '../../chain/types.ts';

interface FeeRateSource {
  readonly feeRates: FeeRateCache | null;
}

/** The longest time that pages with fee rates are cached. The rates themselves may be half a minute old. */
export const FEE_RATES_MAX_AGE_MS = 10_000;
/** How long a page waits for the node. */
const PATIENCE_MS = 500;

/** Returns the fee-rate points; null while they are unknown. Never rejects. */
export async function knownFeeRatePoints({ feeRates }: FeeRateSource): Promise<readonly FeeRatePoint[] | null> {
  return feeRates && inTime(feeRates.points.read());
}

/** Returns the rate with which a transaction is in the next block, as the node estimates it; null while it is unknown. Never rejects. */
export async function knownNodeEstimate({ feeRates }: FeeRateSource): Promise<Atoms | null> {
  if (feeRates === null) return null;
  await inTime(Promise.all([feeRates.points.read(), feeRates.least.read()]));
  return feeRates.lastNodeEstimate;
}

/** Returns what the node answered; null if it did not, or takes too long. */
function inTime<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  return Promise.race([answer.catch(() => null), sleep(PATIENCE_MS, null, { ref: false })]);
}
