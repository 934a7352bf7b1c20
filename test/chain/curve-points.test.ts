import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isRistrettoPoint, isSecp256k1Point } from '../../src/chain/curve-points.ts';
import { id } from './arbitrary.ts';

test('secp256k1 points are those whose x³ + 7 has a square root', () => {
  let points = 0;
  fc.assert(
    fc.property(id, fc.constantFrom('02', '03'), (x, prefix) => {
      const isPoint = isSecp256k1Point(prefix + x);
      assert.equal(isPoint, hasSquareRoot(x));
      if (isPoint) points += 1;
    }),
  );
  assert.ok(points > 10);
});

test('what is no compressed point of 33 bytes is no secp256k1 point', () => {
  const prime = (2n ** 256n - 2n ** 32n - 977n).toString(16);
  assert.ok(isSecp256k1Point('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'), 'the base point');
  for (const bytes of [`02${prime}`, `04${'00'.repeat(32)}`, `02${'79'.repeat(31)}`]) {
    assert.equal(isSecp256k1Point(bytes), false, bytes);
  }
});

/** By Euler's criterion. */
function hasSquareRoot(x: string): boolean {
  const prime = 2n ** 256n - 2n ** 32n - 977n;
  let result = 1n;
  let factor = (BigInt(`0x${x}`) ** 3n + 7n) % prime;
  for (let exponent = (prime - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * factor) % prime;
    factor = (factor * factor) % prime;
  }
  return BigInt(`0x${x}`) < prime && result === 1n;
}

/** Multiples of the base point, from 0 to 3 (RFC 9496, appendix A.1); keys of the mainnet, testnet and regtest genesis. */
const RISTRETTO_POINTS = [
  '00'.repeat(32),
  'e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76',
  '6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919',
  '94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259',
  '6ed44aeacbc2e2a87edd4862863b0c3dec29a33cf6e3edd2049545d547dedb76',
  '2895247c82f904ce01b13c89f17fecb7b670b4f3271a7f0459ad32056734757b',
  'fa2f59dc7a7e176058e4f2d155cfa03ee007340e0285447892158823d332f744',
];

/** Not canonical, negative, no square root, negative product, y = 0 (appendix A.2). */
const NO_RISTRETTO_POINTS = [
  '00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20',
  '26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371',
  '3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

for (const point of RISTRETTO_POINTS) {
  test(`${point} is a Ristretto point`, () => assert.ok(isRistrettoPoint(point)));
}

for (const point of NO_RISTRETTO_POINTS) {
  test(`${point} is no Ristretto point`, () => assert.equal(isRistrettoPoint(point), false));
}
