import assert from 'node:assert/strict';
import { it } from 'node:test';
import { feeRate, interpolateFeeRate, recommendedFeeRates } from '../../src/chain/fee-rate.ts';

const MEGABYTE = 1_000_000;
const POINTS = [
  { sizeBytes: 1, atomsPerKilobyte: 900n },
  { sizeBytes: MEGABYTE, atomsPerKilobyte: 500n },
  { sizeBytes: 4 * MEGABYTE, atomsPerKilobyte: 100n },
];

it('the fee rate of a transaction is the fee in atoms per 1,000 bytes, rounded down', () => {
  assert.deepEqual([feeRate(2_000n, 300), feeRate(0n, 300), feeRate(1n, 1_001)], [6_666n, 0n, 0n]);
});

it('the fee rate for a number of megabytes is that of the nearest point, and between two interpolated and rounded down', () => {
  const rates = [0n, 1n, 2n, 3n, 4n, 2n ** 62n].map((megabytes) => interpolateFeeRate(POINTS, megabytes));
  assert.deepEqual(rates, [900n, 500n, 366n, 233n, 100n, 100n]);
  assert.equal(interpolateFeeRate([{ sizeBytes: 2 * MEGABYTE, atomsPerKilobyte: 7n }], 1n), 7n);
});

it('recommended fee rates are those of the next block, of half an hour, an hour and a day, none below the least', () => {
  const BLOCK = 1_048_576;
  const points = [1, 15, 30, 720, 800].map((blocks, i) => ({
    sizeBytes: blocks * BLOCK,
    atomsPerKilobyte: 10n ** BigInt(5 - i),
  }));
  const rates = { fastest: 100_000n, half_hour: 10_000n, hour: 1_000n, economy: 100n, minimum: 7n };
  assert.deepEqual(recommendedFeeRates(points, 7n), rates);
  assert.deepEqual(recommendedFeeRates(points, 1_500n), { ...rates, hour: 1_500n, economy: 1_500n, minimum: 1_500n });
  assert.deepEqual(recommendedFeeRates([{ sizeBytes: 1, atomsPerKilobyte: 9n }], 9n), {
    ...{ fastest: 9n, half_hour: 9n, hour: 9n, economy: 9n, minimum: 9n },
  });
});
