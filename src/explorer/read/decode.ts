/** Encoded transactions and blocks that somebody pastes, decoded: from the text to values. Pure. */
import { blockIdOfBytes, decodeBlock, identifyBlock, MerkleRootError } from '../../chain/codec/block.ts';
import { readHeader, readHeaderSignature } from '../../chain/codec/header.ts';
import { readOutput } from '../../chain/codec/output.ts';
import { encodeSignedTransaction, readSignatures, readTransaction } from '../../chain/codec/transaction.ts';
import { transactionId } from '../../chain/derive-ids.ts';
import { hash } from '../../chain/hash.ts';
import { DecodeError } from '../../chain/scale/decode-error.ts';
import { Reader } from '../../chain/scale/reader.ts';
import type { Block, Hex, Id, InputWitness, Transaction } from '../../chain/types.ts';

export interface DecodedTransaction {
  readonly kind: 'transaction';
  readonly id: Id;
  readonly transaction: Transaction;
  /** Null where the text is that of a transaction without its signatures. */
  readonly signatures: readonly InputWitness[] | null;
  readonly hex: Hex;
}

export interface DecodedBlock {
  readonly kind: 'block';
  readonly id: Id;
  readonly block: Block;
  /** In block order. */
  readonly transactionIds: readonly Id[];
  /** With signatures, in bytes. */
  readonly transactionSizes: readonly number[];
  /** In bytes. */
  readonly size: number;
  /** Why its contents are not those that its header commits to; null where they are. */
  readonly mismatch: string | null;
}

export type Decoded = DecodedTransaction | DecodedBlock;

/** A text that is neither, with the reasons in words, the most likely one first. */
export class UndecodableText extends Error {
  override readonly name = 'UndecodableText';
  readonly reasons: readonly string[];

  constructor(...reasons: readonly string[]) {
    super(reasons[0]);
    this.reasons = reasons;
  }
}

/** No block, and so no transaction, is longer: 1 MiB of transactions, and room for the header and the reward. */
export const MOST_DECODED_BYTES = 1024 * 1024 + 64 * 1024;

/** More with an input and a signature each do not fit into a block; each costs two hashes. */
const MOST_TRANSACTIONS = 10_000;

/** Takes hex with white space, in quotation marks or with `0x` before it. Throws {@link UndecodableText}. */
export function decodeText(text: string): Decoded {
  const hex = hexIn(text);
  const bytes = Buffer.from(hex, 'hex');
  const attempts: readonly (readonly [what: string, decode: () => Decoded])[] = [
    ['a transaction', () => wholeTransaction(bytes, hex)],
    ['a block', () => wholeBlock(bytes)],
  ];
  const failures: { readonly what: string; readonly error: DecodeError }[] = [];
  for (const [what, decode] of attempts) {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      failures.push({ what, error });
    }
  }
  // What was understood furthest is most likely what it was meant to be.
  failures.sort((a, b) => b.error.offset - a.error.offset);
  throw new UndecodableText(...failures.map(({ what, error }) => `As ${what}: ${error.message}`));
}

function hexIn(text: string): Hex {
  const bare = text
    .replace(/\s+/g, '')
    .replace(/^"(.*)"$/, '$1')
    .replace(/^0x/i, '');
  if (bare === '') throw new UndecodableText('Nothing was pasted');
  const wrong = bare.search(/[^0-9a-fA-F]/);
  if (wrong >= 0) {
    const character = JSON.stringify(String.fromCodePoint(bare.codePointAt(wrong)!));
    throw new UndecodableText(`Hex has the characters 0 to 9 and a to f; character ${wrong + 1} is ${character}`);
  }
  if (bare.length % 2 !== 0) {
    throw new UndecodableText(
      `Hex has two characters for each byte; these are ${bare.length}: is the last one missing?`,
    );
  }
  if (bare.length > 2 * MOST_DECODED_BYTES) {
    throw new UndecodableText(`No block is longer than ${MOST_DECODED_BYTES} bytes; this has ${bare.length / 2}`);
  }
  return bare.toLowerCase();
}

/** With its signatures, or nothing where they would stand. */
function wholeTransaction(bytes: Buffer, hex: Hex): DecodedTransaction {
  const reader = new Reader(bytes);
  const transaction = readTransaction(reader);
  const id = hash(bytes.subarray(0, reader.position));
  const signatures = reader.remaining === 0 ? null : readSignatures(reader, transaction);
  reader.end('a signed transaction');
  return { kind: 'transaction', id, transaction, signatures, hex };
}

function wholeBlock(bytes: Buffer): DecodedBlock {
  const count = transactionCount(bytes);
  if (count > MOST_TRANSACTIONS) {
    throw new UndecodableText(
      `A block of ${count} transactions is not decoded here: the most are ${MOST_TRANSACTIONS}`,
    );
  }
  try {
    const { id, block, transactionIds, transactionSizes, size } = identifyBlock(bytes);
    return { kind: 'block', id, block, transactionIds, transactionSizes, size, mismatch: null };
  } catch (error) {
    if (!(error instanceof MerkleRootError)) throw error;
    const block = decodeBlock(bytes);
    return {
      kind: 'block',
      id: blockIdOfBytes(bytes),
      block,
      transactionIds: block.transactions.map(({ transaction }) => transactionId(transaction)),
      transactionSizes: block.transactions.map((signed) => encodeSignedTransaction(signed).length),
      size: bytes.length,
      mismatch: error.message,
    };
  }
}

/** How many transactions a block says that it has. Nothing behind that is read. */
function transactionCount(bytes: Buffer): number {
  const reader = new Reader(bytes);
  readHeader(reader);
  readHeaderSignature(reader);
  reader.vector(readOutput, 'the reward of a block');
  return reader.length('the transactions of a block');
}
