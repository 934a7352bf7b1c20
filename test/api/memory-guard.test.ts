import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardMemory } from '../../src/api/memory-guard.ts';
import { until } from '../support/until.ts';

const MIB = 1024 ** 2;

it('memory near its limit is collected, and more seldom when that does not help', async (t) => {
  let resident = 100;
  let collected = 0;
  t.after(guardMemory({ limitBytes: 1_000, residentBytes: () => resident, collect: () => collected++ }));
  await sleep(150);
  assert.equal(collected, 0);
  resident = 800;
  await until(() => collected === 1, 'a collection');
  await sleep(700);
  assert.equal(collected, 1, 'the pause has doubled');
  await until(() => collected === 2, 'another one');
});

it('a collection frees what nobody uses any more', async (t) => {
  const texts = Array.from({ length: 50 }, (_, i) => Buffer.alloc(4 * MIB, i + 65).toString('latin1'));
  const begun = process.memoryUsage.rss();
  t.after(guardMemory({ limitBytes: begun }));
  texts.length = 0;
  await until(() => process.memoryUsage.rss() < begun - 100 * MIB, 'free memory');
});
