import assert from 'node:assert/strict';
import { it } from 'node:test';
import { feeRate, interpolateFeeRate } from '../../src/chain/fee-rate.ts';

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
