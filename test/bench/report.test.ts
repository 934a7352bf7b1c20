import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, count, tableLines, times } from '../../bench/report.ts';
import { costGrowthOf, growthOf } from '../../bench/sync-rate-by-height.ts';

test('columns of a table are as wide as their widest cell, the first to the left', () => {
  assert.deepEqual(
    tableLines(
      ['what', 'n'],
      [
        ['a', '1'],
        ['longer', '1,000'],
      ],
    ),
    ['what        n', '------  -----', 'a           1', 'longer  1,000'],
  );
});

test('figures have the digits that mean something', () => {
  assert.deepEqual([count(5.25), count(12_345.6)], ['5.3', '12,346']);
  assert.deepEqual([bytesText(999), bytesText(1_500), bytesText(2.5e9)], ['999 B', '1.5 kB', '2.50 GB']);
  assert.deepEqual([times(1.96), times(12.4)], ['2.0×', '12×']);
});

test('growth is the rate and the processor time since half of each mark, so that a slow start does not hide it', () => {
  const sample = (at: number, height: number) => {
    return { at, height, transactions: height * 2, cpuSeconds: at / 500, isReady: false };
  };
  const samples = [
    sample(0, 0),
    sample(5_000, 5_000),
    sample(6_000, 10_000),
    sample(10_000, 12_500),
    sample(11_000, 25_000),
  ];
  const marks = growthOf(samples);
  assert.deepEqual(
    marks.map(({ height, blocksPerSecond, cpuMicrosecondsPerTransaction }) => [
      height,
      blocksPerSecond,
      cpuMicrosecondsPerTransaction,
    ]),
    [
      [10_000, 5_000, 200],
      [25_000, 12_500, 80],
    ],
  );
});

test('the cost of late blocks is compared with that of early ones, from commit to commit', () => {
  const sample = (height: number, cpuSeconds: number) => {
    return { at: 0, height, transactions: height, cpuSeconds, isReady: false };
  };
  const samples = [sample(0, 0), sample(30_000, 9), sample(80_000, 14), sample(410_000, 50), sample(500_000, 68)];
  assert.deepEqual(costGrowthOf(samples), { early: 100, late: 200 });
  assert.equal(costGrowthOf(samples.slice(0, -1)), null);
});
