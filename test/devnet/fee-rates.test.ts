import assert from 'node:assert/strict';
import { it } from 'node:test';
import { feeRateAtLeastMinimum, feeRatePoints, MIN_ATOMS_PER_KILOBYTE } from '../../src/devnet/fee-rates.ts';

const COIN = 100_000_000_000n;

it('the fee curve of a mempool is one point at the minimum when the mempool is empty', () => {
  assert.deepEqual(feeRatePoints([]), [{ sizeBytes: 1, atomsPerKilobyte: MIN_ATOMS_PER_KILOBYTE }]);
});

it('the fee curve of a mempool cumulates sizes from the best paying transaction on and ends at the minimum', () => {
  const points = feeRatePoints([
    { sizeBytes: 1000, fee: 2n * COIN },
    { sizeBytes: 500, fee: 5n * COIN },
  ]);
  assert.deepEqual(points, [
    { sizeBytes: 500, atomsPerKilobyte: 10n * COIN },
    { sizeBytes: 1500, atomsPerKilobyte: 2n * COIN },
    { sizeBytes: 1501, atomsPerKilobyte: COIN },
  ]);
});

it('the fee curve of a mempool never tells a rate below the minimum', () => {
  assert.equal(feeRateAtLeastMinimum(1n, 1000), COIN);
});

it('the fee curve of a mempool is thinned to ten points at equal distances', () => {
  const points = feeRatePoints(Array.from({ length: 30 }, (_, i) => ({ sizeBytes: 100, fee: BigInt(i + 1) * COIN })));
  assert.equal(points.length, 10);
  assert.equal(points[0]!.sizeBytes, 100);
  assert.equal(points[0]!.atomsPerKilobyte, 300n * COIN);
  assert.equal(points[1]!.sizeBytes, 100 + Math.floor(2901 / 9));
  assert.equal(points.at(-1)!.sizeBytes, 3001);
  assert.equal(points.at(-1)!.atomsPerKilobyte, COIN);
  for (let i = 1; i < 10; i++) assert.ok(points[i]!.atomsPerKilobyte < points[i - 1]!.atomsPerKilobyte);
});
