/** Fee rates, in atoms per kilobyte, and the node's curve of them over the size of its mempool. */
import { MAX_BLOCK_BYTES, TARGET_BLOCK_SECONDS } from './networks/network.ts';
import type { Atoms } from './types.ts';

/** A point of the node's fee-rate curve: the lowest fee rate among the best-paying `sizeBytes` of its mempool. */
export interface FeeRatePoint {
  readonly sizeBytes: number;
  readonly atomsPerKilobyte: Atoms;
}

const BYTES_PER_MEGABYTE = 1_000_000n;

/** Returns the fee in atoms per 1,000 bytes of the encoded signed transaction, rounded down. */
export function feeRate(fee: Atoms, sizeBytes: number): Atoms {
  return (fee * 1_000n) / BigInt(sizeBytes);
}

/** Returns the atoms per kilobyte that the best-paying `megabytes` of the mempool pay, interpolated linearly. */
export function interpolateFeeRate(points: readonly FeeRatePoint[], megabytes: bigint): Atoms {
  return feeRateAtSize(points, megabytes * BYTES_PER_MEGABYTE);
}

const HALF_HOUR_BLOCKS = BigInt(1_800 / TARGET_BLOCK_SECONDS);

/** Fee rates in atoms per kilobyte, each at least as high as the next. */
export interface RecommendedFeeRates {
  readonly fastest: Atoms;
  readonly half_hour: Atoms;
  readonly hour: Atoms;
  readonly economy: Atoms;
  readonly minimum: Atoms;
}

/**
 * Returns the rates with which a transaction is among the best-paying ones of the mempool that fill the next block, the blocks of
 * half an hour, of an hour, and of a day. `minimum`: the least rate that the node relays; no other is below it.
 */
export function recommendedFeeRates(points: readonly FeeRatePoint[], minimum: Atoms): RecommendedFeeRates {
  const within = (blocks: bigint): Atoms => {
    const rate = feeRateAtSize(points, blocks * BigInt(MAX_BLOCK_BYTES));
    return rate > minimum ? rate : minimum;
  };
  return {
    fastest: within(1n),
    half_hour: within(HALF_HOUR_BLOCKS),
    hour: within(2n * HALF_HOUR_BLOCKS),
    economy: within(48n * HALF_HOUR_BLOCKS),
    minimum,
  };
}

/** Returns the rate of the curve at a size in bytes, interpolated linearly; outside the curve that of the nearest point. */
export function feeRateAtSize(points: readonly FeeRatePoint[], size: bigint): Atoms {
  const above = points.findIndex((point) => BigInt(point.sizeBytes) >= size);
  if (above === -1) return points.at(-1)!.atomsPerKilobyte;
  const next = points[above]!;
  const previous = points[above - 1];
  if (!previous) return next.atomsPerKilobyte;
  const [k1, v1] = [BigInt(previous.sizeBytes), previous.atomsPerKilobyte];
  const [k2, v2] = [BigInt(next.sizeBytes), next.atomsPerKilobyte];
  return (v1 * (k2 - size) + v2 * (size - k1)) / (k2 - k1);
}
