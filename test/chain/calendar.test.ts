import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { firstHourOf, HOUR_SECONDS, hourOf, INTERVALS, intervalOfHour } from '../../src/chain/calendar.ts';

const secondsOf = (text: string) => Date.parse(text) / 1_000;

it('weeks begin on Monday, months on their first day, in UTC', () => {
  const startOf = (interval: (typeof INTERVALS)[number], text: string) =>
    new Date(firstHourOf(interval, intervalOfHour(interval, hourOf(secondsOf(text)))) * HOUR_SECONDS * 1_000)
      .toISOString()
      .slice(0, 16);
  assert.equal(startOf('hour', '2026-11-24T19:59:59Z'), '2026-11-24T19:00');
  assert.equal(startOf('day', '2026-11-24T23:59:59Z'), '2026-11-24T00:00');
  assert.equal(startOf('week', '2026-11-22T23:59:59Z'), '2026-11-16T00:00');
  assert.equal(startOf('week', '2026-11-23T00:00:00Z'), '2026-11-23T00:00');
  assert.equal(startOf('month', '2024-02-29T23:59:59Z'), '2024-02-01T00:00');
  assert.equal(startOf('week', '1970-01-01T00:00:00Z'), '1969-12-29T00:00');
});

it('each hour is in the interval that begins with its first hour, and the next interval begins after it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INTERVALS), fc.integer({ min: 0, max: 1_000_000 }), (interval, hour) => {
      const number = intervalOfHour(interval, hour);
      assert.ok(firstHourOf(interval, number) <= hour && hour < firstHourOf(interval, number + 1));
      assert.equal(intervalOfHour(interval, firstHourOf(interval, number)), number);
    }),
  );
});
