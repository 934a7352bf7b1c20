/** Totals of the pending transactions. */
import { feeRate } from '../chain/fee-rate.ts';
import type { Atoms } from '../chain/types.ts';
import type { PendingSet } from './pending-set.ts';

/** The most steps of the histogram. If there are more, neighbouring steps are merged. */
const MAX_STEPS = 100;

interface FeeHistogramStep {
  /** The lowest fee rate of the step, per 1,000 bytes. */
  readonly atomsPerKilobyte: Atoms;
  readonly bytes: number;
}

export interface MempoolTotals {
  readonly count: number;
  readonly bytes: number;
  /** The sum of the fees that are known. */
  readonly totalFee: Atoms;
  /** At most 100 steps, highest fee rate first. Transactions of unknown fee are left out. */
  readonly feeHistogram: readonly FeeHistogramStep[];
}

export function mempoolTotals(pending: PendingSet): MempoolTotals {
  let totalFee = 0n;
  let bytes = 0;
  const bytesByRate = new Map<Atoms, number>();
  for (const { fee, sizeBytes } of pending.transactions()) {
    bytes += sizeBytes;
    if (fee === null) continue;
    totalFee += fee;
    const rate = feeRate(fee, sizeBytes);
    bytesByRate.set(rate, (bytesByRate.get(rate) ?? 0) + sizeBytes);
  }
  const steps = Array.from(bytesByRate, ([atomsPerKilobyte, ofRate]) => ({ atomsPerKilobyte, bytes: ofRate }));
  steps.sort((a, b) => (a.atomsPerKilobyte < b.atomsPerKilobyte ? 1 : -1));
  return { count: pending.size, bytes, totalFee, feeHistogram: merged(steps) };
}

/** Merges neighbouring steps to at most {@link MAX_STEPS}, which have about the same number of bytes. */
function merged(steps: readonly FeeHistogramStep[]): FeeHistogramStep[] {
  if (steps.length <= MAX_STEPS) return [...steps];
  const all = steps.reduce((sum, { bytes }) => sum + bytes, 0);
  const found: FeeHistogramStep[] = [];
  let before = 0;
  let bytes = 0;
  for (const step of steps) {
    bytes += step.bytes;
    // Each step ends at its share of all bytes.
    if (before + bytes < (all / MAX_STEPS) * (found.length + 1)) continue;
    found.push({ atomsPerKilobyte: step.atomsPerKilobyte, bytes });
    before += bytes;
    bytes = 0;
  }
  if (bytes > 0) found.push({ atomsPerKilobyte: steps.at(-1)!.atomsPerKilobyte, bytes });
  return found;
}
