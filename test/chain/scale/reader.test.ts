import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compact as oracle } from 'scale-ts';
import { DecodeError } from '../../../src/chain/scale/codec-errors.ts';
import { bytesFromHex } from '../../../src/chain/scale/hex.ts';
import { decodeWhole, ScaleReader } from '../../../src/chain/scale/reader.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import { compactInteger } from '../arbitrary.ts';

const VECTORS: [bigint, string][] = [
  [0n, '00'],
  [1n, '04'],
  [63n, 'fc'],
  [64n, '0101'],
  [100n, '9101'],
  [16383n, 'fdff'],
  [16384n, '02000100'],
  [40000n, '02710200'],
  [2n ** 30n - 1n, 'feffffff'],
  [2n ** 30n, '0300000040'],
  [2n ** 32n - 1n, '03ffffffff'],
  [2n ** 32n, '070000000001'],
  [10n ** 11n, '0700e8764817'],
  [4n * 10n ** 15n, '0f00001a93fa350e'],
  [2n ** 53n - 1n, '0fffffffffffff1f'],
  [2n ** 64n - 1n, '13ffffffffffffffff'],
  [2n ** 128n - 1n, `33${'ff'.repeat(16)}`],
];

const read = (hex: string, maxBytes: 8 | 16 = 16) =>
  decodeWhole(bytesFromHex(hex), (reader) => reader.compact(maxBytes, 'an integer'), 'an integer');
const readNumber = (hex: string, maxBytes: 4 | 8) =>
  decodeWhole(bytesFromHex(hex), (reader) => reader.compactNumber(maxBytes, 'an integer'), 'an integer');

function written(value: bigint): string {
  const writer = new ScaleWriter(1);
  writer.compact(value, 128);
  return writer.finish().toString('hex');
}

for (const [value, hex] of VECTORS) {
  test(`the compact integer ${value} is ${hex}`, () => {
    assert.equal(read(hex), value);
    assert.equal(written(value), hex);
  });
}

test('compact integers are read and written as scale-ts does', () => {
  fc.assert(
    fc.property(compactInteger(128), (value) => {
      const expected = Buffer.from(oracle.enc(value)).toString('hex');
      assert.equal(written(value), expected);
      assert.equal(read(expected), value);
    }),
  );
});

test('compact integers come as the same number where one is asked for', () => {
  fc.assert(fc.property(compactInteger(53), (value) => assert.equal(readNumber(written(value), 8), Number(value))));
});

const LONGER_THAN_NEEDED = [
  '0100',
  'fd00',
  '02000000',
  'feff0000',
  '0300000000',
  '03ffffff3f',
  '070000004000',
  '0b000000000100',
  '0700e87648170000',
  `33${'ff'.repeat(15)}00`,
];
for (const hex of LONGER_THAN_NEEDED) {
  test(`the compact integer ${hex} is refused, being longer than needed`, () =>
    assert.throws(() => read(hex), DecodeError));
}

test('compact integers wider than their type are refused', () => {
  assert.throws(() => read(`17${'ff'.repeat(9)}`, 8), DecodeError);
  assert.throws(() => read(`37${'ff'.repeat(17)}`, 16), DecodeError);
  assert.throws(() => read(`ff${'ff'.repeat(67)}`, 16), DecodeError);
  assert.throws(() => readNumber('070000000001', 4), DecodeError);
});

test('compact integers above 2^53 - 1 are refused where a number is asked for', () => {
  assert.equal(readNumber('0fffffffffffff1f', 8), Number.MAX_SAFE_INTEGER);
  assert.throws(() => readNumber('0f00000000000020', 8), DecodeError);
  assert.throws(() => readNumber('13ffffffffffffffff', 8), DecodeError);
});

test('compact integers cut short are refused', () => {
  for (const hex of ['', '01', '020001', '03000000', '0700e87648']) assert.throws(() => read(hex), DecodeError);
});

test('an error tells the offset, what was expected and what was found', () => {
  const reader = new ScaleReader(bytesFromHex('0001ff'));
  reader.skip(2, 'two bytes');
  assert.throws(() => reader.hex(32, 'a block id'), {
    name: 'DecodeError',
    offset: 2,
    expected: 'a block id',
    found: '1 of 32 bytes',
    message: 'expected a block id at byte 2, found 1 of 32 bytes',
  });
});

test('a length above the bytes that follow is refused at once', () => {
  const reader = new ScaleReader(bytesFromHex('03ffffffff00'));
  const readNothing = () => assert.fail('an element was read');
  assert.throws(() => reader.vector(readNothing, 'a list'), /a length of 4294967295 with 1 bytes left/);
  assert.throws(() => new ScaleReader(bytesFromHex('feffffff00')).byteVector('data'), DecodeError);
});

test('trailing bytes are refused', () => {
  assert.throws(() => read('0400'), /expected the end of an integer at byte 1, found 1 more bytes/);
});

test('fixed integers are little-endian', () => {
  const reader = new ScaleReader(bytesFromHex(`ff0102${'ffffff7f'}${'01'.padEnd(30, '0')}ff`));
  assert.equal(reader.u8('u8'), 0xff);
  assert.equal(reader.u16('u16'), 0x0201);
  assert.equal(reader.u32('u32'), 0x7fffffff);
  assert.equal(reader.u128('u128'), 0xff000000000000000000000000000001n);
});

test('bytes in the middle of another buffer are read in place', () => {
  const bytes = new Uint8Array([9, 9, 4, 8, 9]).subarray(2, 4);
  const reader = new ScaleReader(bytes);
  assert.deepEqual([reader.u8('u8'), reader.u8('u8'), reader.remaining], [4, 8, 0]);
});

test('text that is not hex is a DecodeError', () => {
  for (const text of ['0', 'zz', '0x00', '00 0', '000z']) assert.throws(() => bytesFromHex(text), DecodeError);
  assert.equal(bytesFromHex('00FfaA').toString('hex'), '00ffaa');
});
