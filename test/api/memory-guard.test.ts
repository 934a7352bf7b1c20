import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardMemory } from '../../src/api/memory-guard.ts';
import { until } from '../support/until.ts';

it('memory near its limit is collected, and more seldom when that does not help', async (t) => {
  let resident = 100;
  let collected = 0;
  t.after(guardMemory({ limitBytes: 1_000, residentBytes: () => resident, collect: () => collected++ }));
  await sleep(150);
  assert.equal(collected, 0);
  resident = 900;
  await until(() => collected === 1, 'a collection');
  await sleep(700);
  assert.equal(collected, 1, 'the pause has doubled');
  await until(() => collected === 2, 'another one');
});

it('a collection gives back what nobody uses any more', async (t) => {
  const megabyte = 1024 * 1024;
  let used: object[] | null = Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: `x${i}` }));
  const most = process.memoryUsage.rss();
  t.after(guardMemory({ limitBytes: most }));
  assert.equal(used.length, 2_000_000);
  used = null;
  await until(() => process.memoryUsage.rss() < most - 100 * megabyte, 'free memory', { withinMs: 8_000 });
});
