import type { Atoms } from '../chain/types.ts';

/** The lowest fee rate of the best-paying `sizeBytes` of a mempool. */
export interface DevnetFeeRatePoint {
  readonly sizeBytes: number;
  readonly atomsPerKilobyte: Atoms;
}

/** The minimum fee of 1,000 bytes of a transaction (docs/protocol.md#fee-rate-points): one coin. */
export const MIN_ATOMS_PER_KILOBYTE = 100_000_000_000n;

const MAX_POINTS = 10;
const BYTES_PER_MEGABYTE = 1_000_000;

/** The fee rate of a transaction, atoms per 1,000 bytes, not below the minimum. */
export function transactionFeeRate(fee: Atoms, sizeBytes: number): Atoms {
  const rate = (fee * 1000n) / BigInt(Math.max(1, sizeBytes));
  return rate > MIN_ATOMS_PER_KILOBYTE ? rate : MIN_ATOMS_PER_KILOBYTE;
}

/**
 * The node's curve: by cumulated size from the best paying transaction on, at most ten points
 * (docs/protocol.md#fee-rate-points).
 */
export function feeRatePoints(
  transactions: readonly { readonly sizeBytes: number; readonly fee: Atoms }[],
): DevnetFeeRatePoint[] {
  if (transactions.length === 0) return [{ sizeBytes: 1, atomsPerKilobyte: MIN_ATOMS_PER_KILOBYTE }];
  const rates = transactions.map(({ sizeBytes, fee }) => ({
    sizeBytes,
    atomsPerKilobyte: transactionFeeRate(fee, sizeBytes),
  }));
  rates.sort((a, b) => Number(b.atomsPerKilobyte - a.atomsPerKilobyte));
  const points: DevnetFeeRatePoint[] = [];
  let cumulated = 0;
  for (const { sizeBytes, atomsPerKilobyte } of rates) {
    cumulated += sizeBytes;
    points.push({ sizeBytes: cumulated, atomsPerKilobyte });
  }
  points.push({ sizeBytes: cumulated + 1, atomsPerKilobyte: MIN_ATOMS_PER_KILOBYTE });
  return points.length <= MAX_POINTS ? points : thinned(points);
}

/** The rate at `megabytes` of the curve, straight between its points (docs/api.md#fee-rates). */
export function feeRateInTop(points: readonly DevnetFeeRatePoint[], megabytes: number): Atoms {
  return rateAt(points, megabytes * BYTES_PER_MEGABYTE);
}

function thinned(points: readonly DevnetFeeRatePoint[]): DevnetFeeRatePoint[] {
  const first = points[0]!.sizeBytes;
  const last = points.at(-1)!.sizeBytes;
  return Array.from({ length: MAX_POINTS }, (_, i) => {
    const sizeBytes = first + Math.floor(((last - first) * i) / (MAX_POINTS - 1));
    return { sizeBytes, atomsPerKilobyte: rateAt(points, sizeBytes) };
  });
}

function rateAt(points: readonly DevnetFeeRatePoint[], sizeBytes: number): Atoms {
  const after = points.findIndex((point) => point.sizeBytes >= sizeBytes);
  const right = points[after];
  if (right === undefined) return points.at(-1)!.atomsPerKilobyte;
  const left = points[after - 1];
  if (left === undefined || right.sizeBytes === sizeBytes) return right.atomsPerKilobyte;
  const toRight = BigInt(right.sizeBytes - sizeBytes);
  const toLeft = BigInt(sizeBytes - left.sizeBytes);
  return (left.atomsPerKilobyte * toRight + right.atomsPerKilobyte * toLeft) / (toRight + toLeft);
}
