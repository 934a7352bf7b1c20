import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardMemory } from '../../src/resources/collect-garbage.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;

/** A process with this memory, in MiB, and a limit of 1,000. A full collection leaves 100 of what is used. */
function guarded(t: TestContext, memory: { rss: number; used: number; young?: number }) {
  const collections: string[] = [];
  const end = guardMemory({
    limitBytes: 1_000 * MIB,
    memory: () => ({ rss: memory.rss * MIB, heapUsed: memory.used * MIB, external: 0 }),
    collect: (flavor) => {
      collections.push(flavor);
      memory.used = flavor === 'minor' ? memory.used - (memory.young ?? 0) : 100;
    },
  });
  t.after(end);
  return collections;
}

it('garbage is collected where memory is scarce, each time that some has come', async (t) => {
  const memory = { rss: 600, used: 400 };
  const collections = guarded(t, memory);
  await sleep(150);
  assert.deepEqual(collections, [], 'there is room');
  memory.rss = 800;
  await until(() => collections.length === 2, 'a collection');
  memory.used = 120;
  await sleep(700);
  assert.equal(collections.length, 2, 'little has come since');
  memory.used = 200;
  await until(() => collections.length === 4, 'another one');
  assert.deepEqual(collections, ['minor', 'regular', 'minor', 'regular']);
});

it('young garbage is collected without a full collection', async (t) => {
  const memory = { rss: 800, used: 400, young: 360 };
  const collections = guarded(t, memory);
  for (const times of [1, 2, 3]) {
    memory.used = 400;
    await until(() => collections.length === times, 'a collection');
    await sleep(60);
  }
  assert.deepEqual(collections, ['minor', 'minor', 'minor']);
});

it('pages are given back where memory is exhausted, and more seldom when that does not help', async (t) => {
  const collections = guarded(t, { rss: 990, used: 100 });
  await until(() => collections.length === 1, 'a collection');
  await sleep(1_500);
  assert.deepEqual(collections, ['last-resort'], 'it did not help');
});

it('a collection gives back what nobody uses any more', async (t) => {
  let used: object[] | null = Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: `x${i}` }));
  const most = process.memoryUsage.rss();
  t.after(guardMemory({ limitBytes: most }));
  assert.equal(used.length, 2_000_000);
  used = null;
  await until(() => process.memoryUsage.rss() < most - 100 * MIB, 'free memory');
});
