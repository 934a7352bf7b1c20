import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeSignedTransaction,
  encodeSignedTransaction,
  encodeTransaction,
} from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import { DecodeError, EncodeError } from '../../../src/chain/scale/codec-errors.ts';
import { signedTransactionHash } from '../../support/hashes.ts';
import { signedTransaction } from '../arbitrary.ts';
import {
  SECOND_TRANSACTION,
  SECOND_TRANSACTION_ID,
  SIGNED_TRANSACTION,
  SIGNED_TRANSACTION_HASH,
  TRANSACTION,
  TRANSACTION_ID,
} from './transaction-vectors.ts';

const decode = (hex: string) => decodeSignedTransaction(Buffer.from(hex, 'hex'));
const EMPTY_WITNESS = '0000';

test('the vector of a transaction with a pool and a transfer is decoded and encoded', () => {
  const signed = decode(SIGNED_TRANSACTION);
  const { transaction, signatures } = signed;
  assert.deepEqual(transaction.inputs, [
    {
      type: 'Utxo',
      outpoint: {
        sourceType: 'Transaction',
        sourceId: 'ff5d9a94390ee97208d31aa5c3b5ddbd8df9d308069df2ebf5283f7ce3e42614',
        index: 1,
      },
    },
  ]);
  const types = transaction.outputs.map(({ type }) => type);
  assert.deepEqual(types, ['CreateStakePool', 'Transfer']);
  assert.equal(signatures.length, 1);
  assert.equal(signatures[0]?.type === 'Standard' && signatures[0].rawSignature.length, 99 * 2);
  assert.equal(transactionId(transaction), TRANSACTION_ID);
  assert.equal(signedTransactionHash(signed), SIGNED_TRANSACTION_HASH);
  assert.equal(encodeTransaction(transaction).toString('hex'), TRANSACTION);
  assert.equal(encodeSignedTransaction(signed).toString('hex'), SIGNED_TRANSACTION);
});

test('the vector of a transaction with a withdrawal, a locked output and a pool is decoded and encoded', () => {
  const destination = '015b3a6eb064cf06c229c11e5b04c3ca67cf50d9b2';
  const zero = '00'.repeat(32);
  const { transaction } = decode(`${SECOND_TRANSACTION}08${EMPTY_WITNESS}${EMPTY_WITNESS}`);
  assert.equal(transactionId(transaction), SECOND_TRANSACTION_ID);
  assert.deepEqual(transaction, {
    flags: 0n,
    inputs: [
      { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId: zero, index: 1 } },
      { type: 'Account', nonce: 1n, delegationId: zero, amount: 1n },
    ],
    outputs: [
      {
        type: 'LockThenTransfer',
        value: { type: 'Coin', amount: 100n },
        destination,
        lock: { type: 'UntilHeight', value: 100n },
      },
      {
        type: 'CreateStakePool',
        poolId: zero,
        data: {
          pledge: 40_000n,
          staker: destination,
          vrfPublicKey: '006cf5ea61aa09f79ea964547bebb7931d8876cb1892383cd902c62085fff0547b',
          decommissionKey: destination,
          marginRatioPerThousand: 100,
          costPerBlock: 0n,
        },
      },
    ],
  });
});

test('any signed transaction comes back from its bytes', () => {
  fc.assert(
    fc.property(signedTransaction, (signed) => {
      const bytes = encodeSignedTransaction(signed);
      assert.deepEqual(decodeSignedTransaction(bytes), signed);
      assert.ok(bytes.toString('hex').startsWith(encodeTransaction(signed.transaction).toString('hex')));
    }),
  );
});

test('random bytes are refused with a DecodeError and nothing else', () => {
  const start = fc.constantFrom('', '01', '0100', '010004', '01000400', '01000004');
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 300 }), (prefix, random) => {
      const bytes = Buffer.concat([Buffer.from(prefix, 'hex'), random]);
      try {
        assert.deepEqual(encodeSignedTransaction(decodeSignedTransaction(bytes)), bytes);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
      }
    }),
    { numRuns: 1000 },
  );
});

test('there must be as many signatures as inputs', () => {
  assert.throws(() => decode(`${TRANSACTION}00`), /expected signatures for 1 inputs at byte \d+, found 0/);
  assert.throws(() => decode(`${TRANSACTION}08${EMPTY_WITNESS}${EMPTY_WITNESS}`), DecodeError);
  const { transaction } = decode(SIGNED_TRANSACTION);
  assert.throws(() => encodeSignedTransaction({ transaction, signatures: [] }), EncodeError);
});

test('another version is refused', () => {
  for (const version of ['00', '02', 'ff'])
    assert.throws(() => decode(version + SIGNED_TRANSACTION.slice(2)), DecodeError);
});
