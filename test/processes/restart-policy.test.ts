import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestartPolicy } from '../../src/processes/restart-policy.ts';

const pausesAfter = (restarts: RestartPolicy, ...livedMs: number[]) =>
  livedMs.map((lived) => restarts.pauseAfter(lived));

test('the pause doubles with each failure, up to half a minute', () => {
  assert.deepEqual(
    pausesAfter(new RestartPolicy(), 0, 10, 5_000, 0, 0, 0, 0, 0),
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
  );
});

test('after a minute of health a failure is a first one again', () => {
  assert.deepEqual(
    pausesAfter(new RestartPolicy(), 0, 0, 60_001, 0, 60_000, 60_001),
    [500, 1_000, 500, 1_000, 2_000, 500],
  );
});

test('a first failure after a long life is one, and thousands are no matter', () => {
  const restarts = new RestartPolicy({ firstMs: 10, maxMs: 15 });
  assert.deepEqual(pausesAfter(restarts, 100_000, ...Array<number>(3_000).fill(0)), [10, ...Array(3_000).fill(15)]);
});
