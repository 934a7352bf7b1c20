/** Large responses are written 256 kB in a turn of the event loop, each exactly once and in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PacedWrites } from '../../../src/api/http/prepared-response.ts';

test('writes up to the limit happen at once, the others in the turns after, in order', async () => {
  const writes = new PacedWrites(100);
  const written: number[] = [];
  for (let i = 0; i < 10; i++) writes.add(40, () => written.push(i));
  assert.deepEqual(written, [0, 1, 2]);
  await nextTurn();
  assert.deepEqual(written, [0, 1, 2, 3, 4, 5]);
  await nextTurn();
  await nextTurn();
  assert.deepEqual(written, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a write that is larger than the limit is written, and so are those that come while others are', async () => {
  const writes = new PacedWrites(100);
  const written: string[] = [];
  writes.add(1_000, () => {
    written.push('large');
    writes.add(10, () => written.push('from within'));
  });
  writes.add(10, () => written.push('after'));
  assert.deepEqual(written, ['large']);
  await nextTurn();
  assert.deepEqual(written, ['large', 'from within', 'after']);
  await nextTurn();
  writes.add(10, () => written.push('later'));
  assert.deepEqual(written.at(-1), 'later');
});
