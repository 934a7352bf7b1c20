/**
 * Blocks as bytes, and the ids that those bytes hash to (docs/protocol.md#blocks, docs/protocol.md#ids,
 * docs/protocol.md#merkle-trees).
 */

import { hash } from '../hash.ts';
import { merkleRoot } from '../merkle.ts';
import { DecodeError } from '../scale/codec-errors.ts';
import { decodeWhole, ScaleReader } from '../scale/reader.ts';
import { encodeToBuffer, type ScaleWriter } from '../scale/writer.ts';
import type { Block, Hex, Id, IdentifiedBlock, SignedTransaction, TxOutput } from '../types.ts';
import { readHeader, readHeaderSignature } from './header.ts';
import { readOutput, writeOutput } from './output.ts';
import { readSignatures, readSignedTransaction, readTransaction } from './transaction.ts';

/** The position of the Merkle roots in a block, after the version and the previous block's id. */
const TX_MERKLE_ROOT_OFFSET = 33;
const WITNESS_MERKLE_ROOT_OFFSET = 65;

/** A block whose contents are not those that its header commits to. */
export class MerkleRootError extends DecodeError {
  override readonly name = 'MerkleRootError';
}

/** Throws DecodeError unless the bytes are exactly one block. Merkle roots are not verified. */
export function decodeBlock(bytes: Uint8Array): Block {
  return decodeWhole(bytes, readBlock, 'a block');
}

/**
 * A block with the ids of itself and its transactions, hashed from the bytes given. Throws DecodeError unless they are
 * exactly one block, MerkleRootError when its header commits to other contents.
 */
export function identifyBlock(bytes: Uint8Array): IdentifiedBlock {
  const reader = new ScaleReader(bytes);
  const header = readHeader(reader);
  const id = hashOf(reader, 0);
  const signature = readHeaderSignature(reader);
  const rewardStart = reader.position;
  const reward = readReward(reader);
  const rewardHash = hashOf(reader, rewardStart);

  const count = reader.length('the transactions of a block');
  const transactions: SignedTransaction[] = [];
  const transactionIds: Id[] = [];
  const transactionSizes: number[] = [];
  const witnessHashes: Hex[] = [];
  for (let i = 0; i < count; i++) {
    const start = reader.position;
    const transaction = readTransaction(reader);
    transactionIds.push(hashOf(reader, start));
    transactions.push({ transaction, signatures: readSignatures(reader, transaction) });
    witnessHashes.push(hashOf(reader, start));
    transactionSizes.push(reader.position - start);
  }
  reader.end('a block');

  const { txMerkleRoot, witnessMerkleRoot } = header;
  verifyMerkleRoot('transactions', [rewardHash, ...transactionIds], TX_MERKLE_ROOT_OFFSET, txMerkleRoot);
  verifyMerkleRoot('witnesses', [rewardHash, ...witnessHashes], WITNESS_MERKLE_ROOT_OFFSET, witnessMerkleRoot);
  const block = { header, signature, reward, transactions };
  return { id, block, transactionIds, transactionSizes, rewardHash, size: reader.bytes.length };
}

/**
 * Throws MerkleRootError unless the root that the header has at `offset` is that of the leaves: the hash of the reward, then
 * per transaction its id, or the hash of it with its signatures.
 */
function verifyMerkleRoot(what: string, leaves: readonly Hex[], offset: number, inHeader: Hex): void {
  const root = merkleRoot(leaves);
  if (root !== inHeader) throw new MerkleRootError(offset, `the merkle root ${root} of the ${what}`, inHeader);
}

/** The id of an encoded block, which is that of its header; nothing else is read. Throws DecodeError. */
export function blockIdOfBytes(bytes: Uint8Array): Id {
  const reader = new ScaleReader(bytes);
  readHeader(reader);
  return hashOf(reader, 0);
}

/**
 * The bytes of the transaction at a position of an encoded block, signatures included, and its id. Nothing behind it is
 * read. Throws DecodeError, also where the block has fewer transactions.
 */
export function encodedTransactionAt(bytes: Uint8Array, position: number): { readonly id: Id; readonly bytes: Buffer } {
  const reader = new ScaleReader(bytes);
  readHeader(reader);
  readHeaderSignature(reader);
  readReward(reader);
  const count = reader.length('the transactions of a block');
  if (position >= count) reader.fail(`a transaction at position ${position}`, `${count} transactions`);
  for (let i = 0; i < position; i++) readSignedTransaction(reader);
  const start = reader.position;
  const transaction = readTransaction(reader);
  const id = hashOf(reader, start);
  readSignatures(reader, transaction);
  return { id, bytes: reader.bytes.subarray(start, reader.position) };
}

/** Encodes a block's reward for its hash. */
export function encodeReward(reward: readonly TxOutput[]): Buffer {
  return encodeToBuffer(writeReward, reward);
}

function readBlock(reader: ScaleReader): Block {
  return {
    header: readHeader(reader),
    signature: readHeaderSignature(reader),
    reward: readReward(reader),
    transactions: reader.vector(readSignedTransaction, 'the transactions of a block'),
  };
}

function readReward(reader: ScaleReader): TxOutput[] {
  return reader.vector(readOutput, 'the reward of a block');
}

function writeReward(writer: ScaleWriter, reward: readonly TxOutput[]): void {
  writer.vector(reward, writeOutput);
}

function hashOf(reader: ScaleReader, start: number): Hex {
  return hash(reader.bytes.subarray(start, reader.position));
}
