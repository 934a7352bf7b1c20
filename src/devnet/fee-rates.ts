/** The fee rates of a devnet's mempool, as its node reports them. */
import { type FeeRatePoint, feeRate, feeRateAtSize } from '../chain/fee-rate.ts';
import type { Atoms } from '../chain/types.ts';

/** The minimum fee of 1,000 bytes of a transaction (docs/protocol.md#fee-rate-points): one coin. */
export const MIN_ATOMS_PER_KILOBYTE = 100_000_000_000n;

const MAX_POINTS = 10;

/** The fee rate of a transaction, atoms per 1,000 bytes, not below the minimum. */
export function feeRateAtLeastMinimum(fee: Atoms, sizeBytes: number): Atoms {
  const rate = feeRate(fee, sizeBytes);
  return rate > MIN_ATOMS_PER_KILOBYTE ? rate : MIN_ATOMS_PER_KILOBYTE;
}

/**
 * The node's curve: by cumulated size from the best paying transaction on, at most ten points
 * (docs/protocol.md#fee-rate-points).
 */
export function feeRatePoints(
  transactions: readonly { readonly sizeBytes: number; readonly fee: Atoms }[],
): FeeRatePoint[] {
  if (transactions.length === 0) return [{ sizeBytes: 1, atomsPerKilobyte: MIN_ATOMS_PER_KILOBYTE }];
  const rates = transactions.map(({ sizeBytes, fee }) => ({
    sizeBytes,
    atomsPerKilobyte: feeRateAtLeastMinimum(fee, sizeBytes),
  }));
  rates.sort((a, b) => Number(b.atomsPerKilobyte - a.atomsPerKilobyte));
  const points: FeeRatePoint[] = [];
  let cumulated = 0;
  for (const { sizeBytes, atomsPerKilobyte } of rates) {
    cumulated += sizeBytes;
    points.push({ sizeBytes: cumulated, atomsPerKilobyte });
  }
  points.push({ sizeBytes: cumulated + 1, atomsPerKilobyte: MIN_ATOMS_PER_KILOBYTE });
  return points.length <= MAX_POINTS ? points : thinned(points);
}

function thinned(points: readonly FeeRatePoint[]): FeeRatePoint[] {
  const first = points[0]!.sizeBytes;
  const last = points.at(-1)!.sizeBytes;
  return Array.from({ length: MAX_POINTS }, (_, i) => {
    const sizeBytes = first + Math.floor(((last - first) * i) / (MAX_POINTS - 1));
    return { sizeBytes, atomsPerKilobyte: feeRateAtSize(points, BigInt(sizeBytes)) };
  });
}
