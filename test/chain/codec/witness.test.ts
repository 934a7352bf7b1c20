import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeHtlcSpend, readWitness, writeWitness } from '../../../src/chain/codec/witness.ts';
import { DecodeError, EncodeError } from '../../../src/chain/scale/codec-errors.ts';
import { decodeWhole } from '../../../src/chain/scale/reader.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type { InputWitness } from '../../../src/chain/types.ts';
import { byteText } from '../arbitrary.ts';

const decode = (hex: string) => decodeWhole(Buffer.from(hex, 'hex'), readWitness, 'a witness');

function encode(value: InputWitness): string {
  const writer = new ScaleWriter();
  writeWitness(writer, value);
  return writer.finish().toString('hex');
}

test('the empty witness is 0000', () => {
  assert.deepEqual(decode('0000'), { type: 'NoSignature', data: null });
  assert.equal(encode({ type: 'NoSignature', data: null }), '0000');
});

test('only ALL, NONE and SINGLE are sighash types, with ANYONECANPAY or without', () => {
  const taken: number[] = [];
  for (let sighashType = 0; sighashType < 256; sighashType++) {
    const hex = `01${sighashType.toString(16).padStart(2, '0')}00`;
    const value: InputWitness = { type: 'Standard', sighashType, rawSignature: '' };
    try {
      assert.deepEqual(decode(hex), value);
      assert.equal(encode(value), hex);
      taken.push(sighashType);
    } catch (error) {
      assert.ok(error instanceof DecodeError);
      assert.throws(() => encode(value), EncodeError);
    }
  }
  assert.deepEqual(taken, [0x01, 0x02, 0x03, 0x81, 0x82, 0x83]);
});

test('witnesses of unknown kind are refused', () => {
  for (const hex of ['0200', '0002', '000100ff', '']) assert.throws(() => decode(hex), DecodeError);
});

const secret = '00e5e9486e16402445bcee3382a8b9f1493078978c2d2e2732cf1232f31e735d';
const signature = `8d01${'ab'.repeat(99)}`;

test('the spend of an HTLC reveals the secret', () => {
  assert.deepEqual(decodeHtlcSpend(`00${secret}${signature}`), { type: 'Spend', secret });
  const sha = createHash('sha256').update(secret, 'hex').digest();
  assert.equal(createHash('ripemd160').update(sha).digest('hex'), 'b5a48c7780e597de8012346fb30761965248e3f2');
});

test('the spend of an HTLC is a refund without one', () =>
  assert.deepEqual(decodeHtlcSpend(`01${signature}`), { type: 'Refund' }));

for (const [how, hex] of [
  ['of unknown kind', `02${signature}`],
  ['without a signature', `00${secret}`],
  ['cut in the secret', `00${secret.slice(2)}`],
  ['cut in the signature', `01${signature.slice(2)}`],
  ['with more behind it', `01${signature}00`],
  ['that is empty', ''],
  ['that is half a byte', '0'],
] as const) {
  test(`${how} is no spend of an HTLC`, () => assert.equal(decodeHtlcSpend(hex), null));
}

test('the spend of an HTLC never throws', () => {
  fc.assert(
    fc.property(byteText(120), (hex) => {
      const spend = decodeHtlcSpend(hex);
      assert.ok(spend === null || (spend.type === 'Refund' ? hex.startsWith('01') : hex.slice(2, 66) === spend.secret));
    }),
  );
});
