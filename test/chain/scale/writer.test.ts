import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EncodeError } from '../../../src/chain/scale/codec-errors.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';

test('a writer grows with what is written', () => {
  const writer = new ScaleWriter(1);
  writer.u8(1);
  writer.hex('ab'.repeat(1000), 1000);
  writer.u32(0xffffffff);
  assert.equal(writer.finish().toString('hex'), `01${'ab'.repeat(1000)}ffffffff`);
});

test('values without an encoding are refused', () => {
  const refused: ((writer: ScaleWriter) => void)[] = [
    (writer) => writer.u8(256),
    (writer) => writer.u8(-1),
    (writer) => writer.u16(1.5),
    (writer) => writer.u32(2 ** 32),
    (writer) => writer.u128(-1n),
    (writer) => writer.u128(2n ** 128n),
    (writer) => writer.compact(-1n),
    (writer) => writer.compact(-1),
    (writer) => writer.compact(2 ** 53),
    (writer) => writer.compact(0.5),
    (writer) => writer.compact(2n ** 32n, 32),
    (writer) => writer.compact(2n ** 64n, 64),
    (writer) => writer.compact(2n ** 128n, 128),
    (writer) => writer.hex('abcd', 1),
    (writer) => writer.hex('xy', 1),
    (writer) => writer.byteVector('abc'),
  ];
  for (const write of refused) assert.throws(() => write(new ScaleWriter()), EncodeError, `${write}`);
});
