/** The forms in which wallets hand a transaction to each other (docs/protocol.md#partially-signed-transactions). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPartiallySigned } from '../../../src/chain/codec/partially-signed.ts';
import { hash } from '../../../src/chain/hash.ts';
import { DecodeError } from '../../../src/chain/scale/codec-errors.ts';
import { ScaleReader } from '../../../src/chain/scale/reader.ts';

/** The refund of an HTLC, unsigned, in the form between 1.2 and 1.3; from a public project's tests. */
const REFUND =
  '0100040000f590bd98046cfa96c743322eacca1d4c7797c1ce5ab18426a1a23c5fa60e11bd000000000400000700743ba40b019d773d6552b1cc1a3490ef2543eea7880aab14ce040004010a000700e87648179fdff1730ba34fe7ceeff431cf87acef849bbe0b01bd4daba462c79bc9ab2cf47b5dc16162cd1b63100204019d773d6552b1cc1a3490ef2543eea7880aab14ce0401019d773d6552b1cc1a3490ef2543eea7880aab14ce04000000';
/** The bytes behind the secrets: no pools, no orders. */
const ADDITIONS = '0000';
const POOL = `04${'ab'.repeat(32)}0c`;
const ORDER = `04${'cd'.repeat(32)}000400080408`;
const TOKEN = `04${'ef'.repeat(32)}0b0c414243`;
const bare = REFUND.slice(0, -ADDITIONS.length);

const read = (hex: string) => readPartiallySigned(new ScaleReader(Buffer.from(hex, 'hex')));

it('a wallet says what its transaction spends and who has to sign', () => {
  const { transaction, signatures, spent, signers, range } = read(REFUND);
  assert.equal(
    hash(Buffer.from(REFUND, 'hex').subarray(...range)),
    '17f2a03651907282831b9f795b22d925f5f9f48616ee18fd8760ca4221a0126a',
  );
  assert.equal(transaction.outputs.length, 1);
  assert.deepEqual(signatures, [null]);
  assert.deepEqual(signers, ['019d773d6552b1cc1a3490ef2543eea7880aab14ce']);
  assert.equal(spent[0]?.type, 'Htlc');
});

it('the forms of versions 1.0, of 1.1 and 1.2, and since 1.3 say the same', () => {
  const { range: _, ...expected } = read(REFUND);
  const forms = {
    '1.0': bare,
    '1.1, with a token, a pool and an order': bare + TOKEN + POOL + ORDER,
    '1.1, with nothing': `${bare}000000`,
    'between, with a pool': `${bare}${POOL}00`,
    '1.3, with an order': `40${bare}00${ORDER}`,
  };
  for (const [form, hex] of Object.entries(forms)) {
    const { range, ...found } = read(hex);
    assert.deepEqual(found, expected, form);
    assert.equal(range[0], hex.startsWith('40') ? 1 : 0, form);
  }
});

it('what ends early, goes on, or has not one entry for each input is no partially signed transaction', () => {
  for (let length = 0; length < REFUND.length; length += 2) {
    if (length === bare.length) continue;
    assert.throws(() => read(REFUND.slice(0, length)), DecodeError, `${length} digits`);
  }
  assert.throws(() => read(`${REFUND}000000`), DecodeError);
  assert.throws(() => read(`40${bare}`), DecodeError, '1.3 always has pools and orders');
  assert.throws(() => read(`${bare.slice(0, 142)}0800${bare.slice(144)}0000`), DecodeError);
});
