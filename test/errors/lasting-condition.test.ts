/** What the log says of a condition that lasts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastingCondition } from '../../src/errors/lasting-condition.ts';
import { Notebook } from '../support/web-server.ts';

const TEXTS = { holds: 'the node is silent', ended: 'the node answers again' };

test('a condition that lasts is logged at its beginning, each minute with its seconds, and at its end', (t) => {
  let now = 5_000;
  t.mock.method(performance, 'now', () => now);
  const log = new Notebook();
  const silent = new LastingCondition(log, TEXTS);
  silent.ended();
  // It is met every second for two minutes and a half.
  for (let second = 0; second <= 150; second++, now += 1_000) silent.holds({ reason: `try ${second}` });
  silent.ended({ height: 7 });
  silent.ended();
  silent.holds({});
  assert.deepEqual(log.lines, [
    'warn the node is silent {"reason":"try 0"}',
    'warn the node is silent {"reason":"try 60","seconds":60}',
    'warn the node is silent {"reason":"try 120","seconds":120}',
    'info the node answers again {"height":7,"seconds":151}',
    'warn the node is silent {}',
  ]);
});

test('another kind of a condition that lasts is logged at once, with the seconds since its beginning', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const log = new Notebook();
  const unusable = new LastingCondition(log, { holds: 'unusable', ended: 'usable' });
  unusable.holds({}, 'silent');
  now = 7_000;
  unusable.holds({}, 'of another network');
  unusable.holds({}, 'of another network');
  assert.deepEqual(log.lines, ['warn unusable {}', 'warn unusable {"seconds":7}']);
});
