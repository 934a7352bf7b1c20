import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Report } from '../../bench/report.ts';
import { isMet, reportTargets, type Target } from '../../bench/report-targets.ts';

const target = (value: number, limits: Partial<Target> = {}): Target => ({
  what: 'a delay',
  value,
  text: String,
  ...limits,
});

it('a target is met at its limit, on the right side of it, and where nothing is wanted', () => {
  for (const each of [
    target(5),
    target(5, { most: 5 }),
    target(4, { most: 5 }),
    target(5, { least: 5 }),
    target(6, { least: 5 }),
  ])
    assert.ok(isMet(each), JSON.stringify(each));
});

it('a target is not met beyond its limit, or when the value is not known', () => {
  for (const each of [target(6, { most: 5 }), target(4, { least: 5 }), target(Number.NaN, { most: 5 })])
    assert.ok(!isMet(each), JSON.stringify(each));
});

it('a target is printed with what is wanted', (t) => {
  let printed = '';
  const write = t.mock.method(process.stdout, 'write', (text: string) => {
    printed += text;
    return true;
  });
  reportTargets(new Report(), 'Delays', [target(6, { most: 5 }), target(2, { most: 5 }), target(7)]);
  write.mock.restore();
  const lines = printed.split('\n').filter((line) => line.includes('a delay'));
  assert.deepEqual(
    lines.map((line) => line.trim().split(/ {2,}/)),
    [
      ['a delay', '6', 'at most 5', 'not met'],
      ['a delay', '2', 'at most 5', 'met'],
      ['a delay', '7'],
    ],
  );
});
