import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seriesPoints } from '../../src/answers/series-points.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { MAX_SERIES_POINTS, type SeriesRow } from '../../src/store/queries/chain/series.ts';

const network = networkByName('mainnet');
const NEWEST = { first_hour: 0, first_timestamp: 0, newest_hour: 10_000, are_days_counted: true };
const stored = (...values: readonly string[]): SeriesRow[] => [{ ...NEWEST, stored: values.join() }];
const hours = (since: number | null, below: number | null, points = 500) =>
  ({ interval: 'hour', since, below, points }) as const;

it('a range with too many points is refused, wherever it begins and ends', () => {
  const rows = stored('10000 1 1');
  assert.equal(seriesPoints(network, 'blocks', hours(0, MAX_SERIES_POINTS), rows).points.length, MAX_SERIES_POINTS);
  for (const [since, below] of [
    [0, MAX_SERIES_POINTS + 1],
    [0, null],
    [-1_000_000, 1_000_000],
  ] as const) {
    assert.throws(() => seriesPoints(network, 'blocks', hours(since, below), rows), /at most 5000 points/);
  }
  assert.equal(seriesPoints(network, 'blocks', hours(null, null), rows).points.length, 500);
});

it('a flow is the difference to the row before the range, a stock stays, a mean has no point without a block', () => {
  const rows = stored('9990 7 100', '9997 9 350', '9999 10 349');
  const values = (id: 'transactions' | 'tokens' | 'block_time') =>
    seriesPoints(network, id, hours(9_996, 10_000), rows).points.map(({ time, value }) => [time / 3_600, value]);
  assert.deepEqual(values('transactions'), [
    [9_996, '0'],
    [9_997, '250'],
    [9_998, '0'],
    [9_999, '-1'],
  ]);
  assert.deepEqual(values('tokens'), [
    [9_996, '100'],
    [9_997, '350'],
    [9_998, '350'],
    [9_999, '349'],
  ]);
  // On a chain whose times go back, a block may be earlier than its parent.
  assert.deepEqual(values('block_time'), [
    [9_997, '125'],
    [9_999, '-1'],
  ]);
});
