import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalText } from '../../src/chain/decimal-text.ts';
import { compactInteger } from './arbitrary.ts';

test('decimal texts have neither trailing zeros nor a trailing point', () => {
  const texts: [bigint, number, string][] = [
    [0n, 11, '0'],
    [0n, 0, '0'],
    [5n, 0, '5'],
    [100_000_000_000n, 11, '1'],
    [150_000_000_000n, 11, '1.5'],
    [1n, 11, '0.00000000001'],
    [10n, 11, '0.0000000001'],
    [1_445_835_297_900n, 11, '14.458352979'],
    [100_050n, 3, '100.05'],
    [50n, 3, '0.05'],
    [2n ** 128n - 1n, 18, '340282366920938463463.374607431768211455'],
    [2n ** 128n, 0, '340282366920938463463374607431768211456'],
    [10n ** 30n, 11, '10000000000000000000'],
    [1n, 255, `0.${'0'.repeat(254)}1`],
    [-150_000_000_000n, 11, '-1.5'],
  ];
  for (const [atoms, decimals, text] of texts) assert.equal(decimalText(atoms, decimals), text);
});

test('a decimal text is the amount written with a point and stripped', () => {
  fc.assert(
    fc.property(compactInteger(130), fc.integer({ min: 1, max: 40 }), (atoms, decimals) => {
      const digits = atoms.toString().padStart(decimals + 1, '0');
      const full = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      assert.equal(decimalText(atoms, decimals), full.replace(/\.?0+$/, ''));
    }),
  );
});

test('a number of decimals that no token has is refused', () => {
  for (const decimals of [-1, 256, 1.5]) assert.throws(() => decimalText(1n, decimals), RangeError);
});
