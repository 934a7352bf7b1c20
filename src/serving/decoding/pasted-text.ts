/** Decodes pasted transactions and blocks for the page and the endpoint that explain them. Pure. */
import { blockIdOfBytes, decodeBlock, identifyBlock, MerkleRootError } from '../../chain/codec/block.ts';
import { readHeader, readHeaderSignature } from '../../chain/codec/header.ts';
import { readOutput } from '../../chain/codec/output.ts';
import { type PartiallySignedTransaction, readPartiallySigned, SINCE_1_3 } from '../../chain/codec/partially-signed.ts';
import { encodeSignedTransaction, readSignatures, readTransaction } from '../../chain/codec/transaction.ts';
import { transactionId } from '../../chain/derive-ids.ts';
import { hash } from '../../chain/hash.ts';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import { ScaleReader } from '../../chain/scale/reader.ts';
import type { Block, Hex, Id, IdentifiedBlock, InputWitness, Transaction } from '../../chain/types.ts';

export interface PastedTransaction {
  readonly kind: 'transaction';
  readonly id: Id;
  /** The transaction with its first {@link MAX_EXPLAINED_ENTRIES} inputs and outputs. */
  readonly transaction: Transaction;
  readonly inputCount: number;
  readonly outputCount: number;
  /** The signatures of those inputs, null where one is missing; null for a transaction without signatures. */
  readonly signatures: readonly (InputWitness | null)[] | null;
  /** What the wallet of a partially signed transaction says of those inputs; null for any other transaction. */
  readonly wallet: Pick<PartiallySignedTransaction, 'spent' | 'signers'> | null;
  /** The number of all inputs that are signed. */
  readonly signedCount: number;
  /** As it can be sent; without signatures if not all are there. */
  readonly hex: Hex;
}

export interface PastedBlock {
  readonly kind: 'block';
  readonly id: Id;
  /**
   * The block with its first {@link MAX_EXPLAINED_ENTRIES} reward outputs, and those of its first transactions
   * that are listed, each whole.
   */
  readonly block: Block;
  readonly rewardCount: number;
  readonly transactionCount: number;
  /** The ids of the listed transactions. */
  readonly transactionIds: readonly Id[];
  /** The sizes of the listed transactions with signatures, in bytes. */
  readonly transactionSizes: readonly number[];
  /** The size in bytes. */
  readonly size: number;
  /** The reason why the contents do not match the header; null if they match. */
  readonly mismatch: string | null;
}

/** A text that is neither a transaction nor a block, with the reasons, the most likely one first. */
interface Undecodable {
  readonly kind: 'undecodable';
  readonly reasons: readonly string[];
}

export type DecodedPaste = PastedTransaction | PastedBlock | Undecodable;

/** A mistake in the text itself, before decoding. */
class TextError extends Error {}

/**
 * The largest text that is decoded. Nearly all blocks and transactions are smaller. A block may have 1 MiB: decoding
 * 340,000 outputs takes 0.3 s.
 */
export const MAX_DECODED_BYTES = 128 * 1024;
/**
 * Maximum number of entries explained of each kind: inputs, outputs, signatures, outputs of a reward; the rest is
 * counted. The listed transactions of a block have the same limit.
 */
export const MAX_EXPLAINED_ENTRIES = 100;
/** The most inputs and outputs of all listed transactions of a block. */
const MAX_LISTED = 2_000;

/** A block cannot hold more transactions than this; each costs two hashes. */
const MAX_TRANSACTIONS = 10_000;

/** Decodes hex, which may have white space, quotation marks around it or `0x` before it. */
export function decodePasted(text: string): DecodedPaste {
  try {
    return decodeHex(hexIn(text));
  } catch (error) {
    if (error instanceof TextError) return { kind: 'undecodable', reasons: [error.message] };
    throw error;
  }
}

function decodeHex(hex: Hex): DecodedPaste {
  const bytes = Buffer.from(hex, 'hex');
  const attempts: readonly (readonly [what: string, decode: () => DecodedPaste])[] = [
    ['a transaction', () => wholeTransaction(bytes, hex)],
    ['a partially signed transaction', () => partialTransaction(bytes)],
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
  // The attempt that decoded furthest is most likely right.
  failures.sort((a, b) => b.error.offset - a.error.offset);
  // A damaged transaction can be read a little further as a partially signed one.
  if (bytes[0] !== SINCE_1_3) failures.splice(failures.findIndex(isOfPartial), 1);
  return { kind: 'undecodable', reasons: failures.map(({ what, error }) => `As ${what}: ${error.message}`) };
}

const isOfPartial = ({ what }: { readonly what: string }) => what.startsWith('a partially');

function hexIn(text: string): Hex {
  const bare = text
    .replace(/\s+/g, '')
    .replace(/^"(.*)"$/, '$1')
    .replace(/^0x/i, '');
  if (bare === '') throw new TextError('Nothing was pasted');
  const wrong = bare.search(/[^0-9a-fA-F]/);
  if (wrong >= 0) {
    const character = JSON.stringify(String.fromCodePoint(bare.codePointAt(wrong)!));
    throw new TextError(`Hex has the characters 0 to 9 and a to f; character ${wrong + 1} is ${character}`);
  }
  if (bare.length % 2 !== 0) {
    throw new TextError(`Hex has two characters for each byte; these are ${bare.length}: is the last one missing?`);
  }
  if (bare.length > 2 * MAX_DECODED_BYTES) {
    throw new TextError(`Up to ${MAX_DECODED_BYTES} bytes are decoded; this has ${bare.length / 2}`);
  }
  return bare.toLowerCase();
}

/** Decodes a transaction with its signatures, or without any. */
function wholeTransaction(bytes: Buffer, hex: Hex): PastedTransaction {
  const reader = new ScaleReader(bytes);
  const transaction = readTransaction(reader);
  const id = hash(bytes.subarray(0, reader.position));
  const signatures = reader.remaining === 0 ? null : readSignatures(reader, transaction);
  reader.end('a signed transaction');
  return shownTransaction(id, transaction, signatures, null, hex);
}

/** Decodes what wallets hand to each other. One that all have signed is a signed transaction. */
function partialTransaction(bytes: Buffer): PastedTransaction {
  const { transaction, signatures, range, ...wallet } = readPartiallySigned(new ScaleReader(bytes));
  const encoded = bytes.subarray(...range);
  const present = signatures.filter((signature) => signature !== null);
  if (present.length < signatures.length) {
    return shownTransaction(hash(encoded), transaction, signatures, wallet, encoded.toString('hex'));
  }
  const hex = encodeSignedTransaction({ transaction, signatures: present }).toString('hex');
  return shownTransaction(hash(encoded), transaction, signatures, null, hex);
}

function shownTransaction(
  id: Id,
  transaction: Transaction,
  signatures: readonly (InputWitness | null)[] | null,
  wallet: PastedTransaction['wallet'],
  hex: Hex,
): PastedTransaction {
  const { inputs, outputs } = transaction;
  const first = <T>(values: readonly T[]) => values.slice(0, MAX_EXPLAINED_ENTRIES);
  return {
    kind: 'transaction',
    id,
    transaction: {
      ...transaction,
      inputs: first(inputs),
      outputs: first(outputs),
    },
    inputCount: inputs.length,
    outputCount: outputs.length,
    signatures: signatures && first(signatures),
    wallet: wallet && { spent: first(wallet.spent), signers: first(wallet.signers) },
    signedCount: signatures?.filter((signature) => signature?.type === 'Standard').length ?? 0,
    hex,
  };
}

function wholeBlock(bytes: Buffer): PastedBlock {
  const count = transactionCount(bytes);
  if (count > MAX_TRANSACTIONS) {
    throw new TextError(`A block of ${count} transactions is not decoded here: the most are ${MAX_TRANSACTIONS}`);
  }
  try {
    return shownOf(identifyBlock(bytes), null);
  } catch (error) {
    if (!(error instanceof MerkleRootError)) throw error;
    const block = decodeBlock(bytes);
    const { transactions } = block;
    const identified = {
      id: blockIdOfBytes(bytes),
      block,
      transactionIds: transactions.map(({ transaction }) => transactionId(transaction)),
      transactionSizes: transactions.map((signed) => encodeSignedTransaction(signed).length),
      size: bytes.length,
    };
    return shownOf(identified, error.message);
  }
}

function shownOf(
  { id, block, transactionIds, transactionSizes, size }: Omit<IdentifiedBlock, 'rewardHash'>,
  mismatch: string | null,
): PastedBlock {
  const { reward, transactions } = block;
  const listed = listedOf(transactions);
  return {
    kind: 'block',
    id,
    block: {
      ...block,
      reward: reward.slice(0, MAX_EXPLAINED_ENTRIES),
      transactions: transactions.slice(0, listed),
    },
    rewardCount: reward.length,
    transactionCount: transactions.length,
    transactionIds: transactionIds.slice(0, listed),
    transactionSizes: transactionSizes.slice(0, listed),
    size,
    mismatch,
  };
}

/** Returns how many transactions are listed. */
function listedOf(transactions: Block['transactions']): number {
  let entries = 0;
  const position = transactions.findIndex(({ transaction: { inputs, outputs } }, i) => {
    entries += inputs.length + outputs.length;
    return i === MAX_EXPLAINED_ENTRIES || entries > MAX_LISTED;
  });
  return position < 0 ? transactions.length : position;
}

/** Returns the number of transactions that a block declares. It reads nothing after that. */
function transactionCount(bytes: Buffer): number {
  const reader = new ScaleReader(bytes);
  readHeader(reader);
  readHeaderSignature(reader);
  reader.vector(readOutput, 'the reward of a block');
  return reader.length('the transactions of a block');
}
