/** Transactions of the real testnet and of the tests of wallets: nobody here wrote them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  decodeSignedTransaction,
  encodeSignedTransaction,
  encodeTransaction,
  readTransaction,
} from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import { ScaleReader } from '../../../src/chain/scale/reader.ts';
import type { Transaction } from '../../../src/chain/types.ts';

interface Recorded {
  readonly kind: 'signed' | 'unsigned' | 'partially signed';
  readonly id: string | null;
  readonly source: string;
  readonly hex: string;
}

const RECORDED: readonly Recorded[] = readFileSync(
  new URL('../../golden/real-transactions.ndjson', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** Returns the transaction, and its bytes when it is encoded again with what follows it. */
function decoded({ kind, hex }: Recorded): { readonly transaction: Transaction; readonly encoded: Buffer } {
  const bytes = Buffer.from(hex, 'hex');
  if (kind === 'signed') {
    const signed = decodeSignedTransaction(bytes);
    return { transaction: signed.transaction, encoded: encodeSignedTransaction(signed) };
  }
  const reader = new ScaleReader(bytes);
  const transaction = readTransaction(reader);
  return { transaction, encoded: encodeTransaction(transaction) };
}

test('every real transaction is encoded to the bytes from which it was decoded', () => {
  const whole = RECORDED.filter(({ kind }) => kind !== 'partially signed');
  assert.equal(whole.length, 37);
  for (const recorded of whole) assert.equal(decoded(recorded).encoded.toString('hex'), recorded.hex, recorded.source);
});

test('a partially signed transaction begins with the bytes of the transaction', () => {
  const partial = RECORDED.find(({ kind }) => kind === 'partially signed')!;
  const encoded = decoded(partial).encoded.toString('hex');
  assert.ok(encoded.length < partial.hex.length && partial.hex.startsWith(encoded));
});

test('every real transaction has the id that the wasm of mintlayer-core gives', () => {
  for (const recorded of RECORDED.filter(({ id }) => id !== null))
    assert.equal(transactionId(decoded(recorded).transaction), recorded.id, recorded.source);
});

test('real transactions spend outputs of others by the ids that we compute', () => {
  const ids = new Set(RECORDED.map(({ id }) => id));
  const links = RECORDED.flatMap((recorded) =>
    decoded(recorded).transaction.inputs.filter((input) => input.type === 'Utxo' && ids.has(input.outpoint.sourceId)),
  );
  assert.ok(links.length >= 6, `${links.length} links`);
});
