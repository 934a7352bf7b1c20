import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blockTargetOf, compactTargetHex, INITIAL_TARGETS, targetFromCompact } from '../../src/chain/compact-target.ts';
import { compactFromTarget } from '../support/compact-target.ts';

test('a compact target is printed with its leading zeros', () => {
  assert.equal(compactTargetHex(0x1d00ffff), `0x00000000ffff${'0'.repeat(52)}`);
  assert.equal(compactTargetHex(0x207fffff), `0x7fffff${'0'.repeat(58)}`);
});

for (const zero of [0, 0x00123456, 0x01003456, 0x02000056, 0x03000000, 0x04000000, 0x00923456, 0x01803456]) {
  test(`the compact target ${zero.toString(16)} is zero`, () => assert.equal(targetFromCompact(zero), 0n));
}

const ROUND_TRIPS: [number, number][] = [
  [0x01123456, 0x01120000],
  [0x02123456, 0x02123400],
  [0x03123456, 0x03123456],
  [0x04123456, 0x04123456],
  [0x05009234, 0x05009234],
  [0x20123456, 0x20123456],
  [0x1d00ffff, 0x1d00ffff],
  [0, 0],
];
for (const [from, to] of ROUND_TRIPS) {
  test(`the compact target ${from.toString(16)} comes back as ${to.toString(16)}`, () => {
    assert.equal(compactFromTarget(targetFromCompact(from)), to);
  });
}

// docs/protocol.md#difficulty
test('the difficulty says how many times as small as the initial target a target is, rounded down', () => {
  const difficulty = (target: bigint) => blockTargetOf(target, INITIAL_TARGETS.PoS).difficulty;
  assert.deepEqual(blockTargetOf(0x26n << 192n, INITIAL_TARGETS.PoS), {
    target: `0x${'0'.repeat(14)}26${'0'.repeat(48)}`,
    difficulty: 1_000_000n,
  });
  assert.equal(difficulty(0x26n << 182n), 1_024_000_000n);
  assert.equal(difficulty(0x900n << 192n), 16_493n);
  assert.equal(difficulty(0n), null);
  assert.equal(blockTargetOf(targetFromCompact(0x207fffff), INITIAL_TARGETS.PoW).difficulty, 1_000_000n);
});

test('a compact target makes room where the sign bit would be', () =>
  assert.equal(compactFromTarget(0x80n), 0x02008000));

for (const wrong of [0x04923456, 0x01fedcba, 0x23000001, 0x22000100, 0x21010000, 0xff7fffff]) {
  test(`the compact target ${wrong.toString(16)} stands for nothing`, () =>
    assert.throws(() => compactTargetHex(wrong), RangeError));
}

test('a compact target of 34, 33 and 32 bytes fits while its mantissa is short', () => {
  assert.equal(targetFromCompact(0x220000ff), 0xffn << 248n);
  assert.equal(targetFromCompact(0x2100ffff), 0xffffn << 240n);
  assert.equal(targetFromCompact(0x207fffff), 0x7fffffn << 232n);
});

test('a compact target keeps the upper 15 bits of any target and is stable', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (target) => {
      const compact = compactFromTarget(target);
      const kept = targetFromCompact(compact);
      assert.ok(kept <= target && (target - kept) * 0x8000n <= target);
      assert.equal(compactFromTarget(kept), compact);
    }),
  );
});

test('a compact target is refused for what is not a target', () => {
  for (const target of [-1n, 1n << 256n]) assert.throws(() => compactFromTarget(target), RangeError);
});
