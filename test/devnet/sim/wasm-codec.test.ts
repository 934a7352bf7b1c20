/**
 * Simulated chains against the protocol's own codec, compiled to WebAssembly from the node's sources: it must decode
 * every transaction and hash it to the same id. The bytes of each input and output are vectors in `test/chain/codec`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import * as wasm from '@mintlayer/wasm-lib';
import { tokenAddress } from '../../../src/chain/address.ts';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { writeInput } from '../../../src/chain/codec/input.ts';
import { encodeSignedTransaction, encodeTransaction } from '../../../src/chain/codec/transaction.ts';
import { writeWitness } from '../../../src/chain/codec/witness.ts';
import { deriveTokenId } from '../../../src/chain/derive-ids.ts';
import { networkFromObject } from '../../../src/chain/networks/custom-network.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import type { Network } from '../../../src/chain/networks/network.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type { Hex, IdentifiedBlock, SignedTransaction } from '../../../src/chain/types.ts';
import { KeySequence } from '../../../src/devnet/sim/user-keys.ts';
import { buildChain } from '../../support/chain-with-branches.ts';

const REGTEST = wasm.Network.Regtest;
const network: Network = networkByName('regtest-pos');
/** Orders by the commands that this version of the codec has. */
const withOldOrders = networkFromObject(
  { base: 'regtest', genesis: network.genesis, upgrades: { orders_v1: 100_000 } },
  'orders V0',
);

const bytesOf = (hex: Hex) => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

let blocks: IdentifiedBlock[] = [];
let transactions: SignedTransaction[] = [];

before(() => {
  const file = new URL(import.meta.resolve('@mintlayer/wasm-lib/wasm_wrappers_bg.wasm'));
  wasm.initSync({ module: readFileSync(file) });
  const chains = [withOldOrders, network].map((of, index) =>
    buildChain({ network: of, mix: 'dense', seed: `wasm ${index}`, blocks: 60 }),
  );
  blocks = chains.flatMap((chain) => chain.blocks.map(({ bytes }) => identifyBlock(bytes)));
  transactions = blocks.flatMap(({ block }) => block.transactions);
});

/** The codec is of a version before the order commands V1. */
const isKnown = ({ transaction }: SignedTransaction) =>
  transaction.inputs.every(({ type }) => type !== 'OrderAccountCommand');

test('the node’s own codec decodes every transaction and hashes it to the id in the block', () => {
  let checked = 0;
  for (const { block, transactionIds } of blocks) {
    block.transactions.forEach((signed, index) => {
      if (!isKnown(signed)) return;
      checked++;
      const encoded = encodeTransaction(signed.transaction);
      assert.equal(wasm.get_transaction_id(encoded, true), transactionIds[index]);
    });
  }
  assert.ok(checked > 1_000);
});

test('the node’s own codec decodes all witnesses and joins them with their transaction to the bytes in the block', () => {
  for (const signed of transactions.filter(isKnown)) {
    const witnesses = new ScaleWriter();
    for (const witness of signed.signatures) writeWitness(witnesses, witness);
    const joined = wasm.encode_signed_transaction(encodeTransaction(signed.transaction), witnesses.finish());
    assert.equal(hexOf(joined), hexOf(encodeSignedTransaction(signed)));
  }
});

test('the node’s own codec derives the same token ids', () => {
  const issuing = transactions.filter(
    ({ transaction }) =>
      transaction.inputs[0]?.type === 'Utxo' && transaction.outputs.some(({ type }) => type === 'IssueFungibleToken'),
  );
  assert.ok(issuing.length > 10);
  for (const { transaction } of issuing) {
    const writer = new ScaleWriter();
    for (const input of transaction.inputs) writeInput(writer, input);
    const id = deriveTokenId(transaction.inputs, 1)!;
    assert.equal(wasm.get_token_id(writer.finish(), REGTEST), tokenAddress(network, id));
  }
});

test('the node’s own codec finds the secret of every claimed HTLC', () => {
  let claimed = 0;
  for (const signed of transactions.filter(isKnown)) {
    signed.signatures.forEach((witness, index) => {
      const input = signed.transaction.inputs[index]!;
      if (witness.type !== 'Standard' || input.type !== 'Utxo') return;
      const htlc = createdContracts().get(`${input.outpoint.sourceId}${input.outpoint.index}`);
      if (htlc === undefined || !witness.rawSignature.startsWith('00')) return;
      claimed++;
      const source = wasm.encode_outpoint_source_id(bytesOf(input.outpoint.sourceId), wasm.SourceId.Transaction);
      const encoded = encodeSignedTransaction(signed);
      const secret = wasm.extract_htlc_secret(encoded, true, source, input.outpoint.index);
      const sha = createHash('sha256').update(secret).digest();
      assert.equal(createHash('ripemd160').update(sha).digest('hex'), htlc);
    });
  }
  assert.ok(claimed > 10);
});

test('the node’s own codec derives the public keys of neighbouring secrets as the wallet does', () => {
  const keys = new KeySequence('neighbours');
  const secret = BigInt(`0x${createHash('sha256').update('neighbours').digest('hex')}`);
  for (let step = 0n; step < 100n; step++) {
    const encoded = `00${(secret + step).toString(16).padStart(64, '0')}`;
    assert.equal(keys.next(), hexOf(wasm.public_key_from_private_key(bytesOf(encoded))));
  }
});

/** Secret hash by the outpoint of the HTLC. */
function createdContracts(): Map<string, Hex> {
  const found = new Map<string, Hex>();
  for (const { block, transactionIds } of blocks) {
    block.transactions.forEach(({ transaction }, position) => {
      transaction.outputs.forEach((output, index) => {
        if (output.type === 'Htlc') found.set(`${transactionIds[position]}${index}`, output.contract.secretHash);
      });
    });
  }
  return found;
}
