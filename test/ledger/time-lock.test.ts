import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasLockEnded, lockEnd } from '../../src/ledger/time-lock.ts';

it('a time lock ends at its height, or so many blocks after its creation', () => {
  assert.deepEqual(lockEnd({ type: 'UntilHeight', value: 7n }, 3, 100), { height: 7, time: null });
  assert.deepEqual(lockEnd({ type: 'ForBlockCount', value: 7n }, 3, 100), { height: 10, time: null });
  assert.ok(hasLockEnded({ height: 7, time: null }, 7, 0));
  assert.ok(!hasLockEnded({ height: 7, time: null }, 6, 1e9));
});

it('a time lock ends at a median time past, or so many seconds after its block', () => {
  assert.deepEqual(lockEnd({ type: 'UntilTime', value: 7n }, 3, 100), { height: null, time: 7 });
  assert.deepEqual(lockEnd({ type: 'ForSeconds', value: 7n }, 3, 100), { height: null, time: 107 });
  assert.ok(hasLockEnded({ height: null, time: 107 }, 0, 107));
  assert.ok(!hasLockEnded({ height: null, time: 107 }, 1e9, 106));
});

it('a time lock of no blocks has ended where it begins', () => {
  assert.ok(hasLockEnded(lockEnd({ type: 'ForBlockCount', value: 0n }, 3, 100), 3, 0));
});

for (const [type, end] of [
  ['UntilHeight', { height: Number.MAX_SAFE_INTEGER, time: null }],
  ['ForBlockCount', { height: Number.MAX_SAFE_INTEGER, time: null }],
  ['UntilTime', { height: null, time: Number.MAX_SAFE_INTEGER }],
  ['ForSeconds', { height: null, time: Number.MAX_SAFE_INTEGER }],
] as const) {
  it(`a time lock ${type} beyond what a number holds never ends`, () => {
    for (const value of [(1n << 53n) - 1n, 1n << 53n, (1n << 64n) - 1n]) {
      assert.deepEqual(lockEnd({ type, value }, 3, 100), end);
    }
    assert.ok(!hasLockEnded(end, 0x7fff_ffff, 1e15));
  });
}
