/** Large responses are written 256 kB in a turn of the event loop, each exactly once; clients take turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PacedWrites } from '../../../src/serving/http/paced-writes.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';

/** Writes of clients, by the names of what they write. */
function recorded(weightOf: (client: string) => number = () => 1) {
  const writes = new PacedWrites(weightOf, 100);
  const written: string[] = [];
  const add = (client: string, name: string, bytes: number, then = () => {}) =>
    writes.add({ caller: internalCaller(client) }, () => {
      written.push(name);
      then();
      return bytes;
    });
  return { written, add };
}

test('writes up to the limit happen at once, the others in the turns after, in order', async () => {
  const { written, add } = recorded();
  for (let i = 0; i < 10; i++) add('a', `${i}`, 40);
  assert.equal(written.join(''), '012');
  await nextTurn();
  assert.equal(written.join(''), '012345');
  await nextTurn();
  await nextTurn();
  assert.equal(written.join(''), '0123456789');
});

test('a write that is larger than the limit is written, and so are those that come while others are', async () => {
  const { written, add } = recorded();
  add('a', 'large', 1_000, () => add('a', 'from within', 10));
  add('a', 'after', 10);
  assert.deepEqual(written, ['large', 'from within']);
  await nextTurn();
  assert.equal(written.at(-1), 'after');
  await nextTurn();
  add('a', 'later', 10);
  assert.equal(written.at(-1), 'later');
});

test('a client with a thousand writes does not delay one with a single write; a client with a weight has so many in a turn', async () => {
  const { written, add } = recorded((client) => (client === 'backend' ? 2 : 1));
  for (let i = 0; i < 1_000; i++) add('attacker', 'attacker', 100);
  for (let i = 0; i < 3; i++) add('backend', 'backend', 100);
  add('other', 'other', 100);
  for (let i = 0; i < 6; i++) await nextTurn();
  const expected = ['attacker', 'attacker', 'backend', 'backend', 'other', 'attacker', 'backend'];
  assert.deepEqual(written, expected);
});

test('what is not written any more takes nobody else any time', async () => {
  const { written, add } = recorded();
  for (let i = 0; i < 1_000; i++) add('gone', 'gone', i === 0 ? 100 : 0);
  add('other', 'other', 100);
  await nextTurn();
  assert.ok(written.includes('other'));
});
