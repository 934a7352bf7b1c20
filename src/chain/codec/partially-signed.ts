/**
 * Partially signed transactions: what mintlayer-core's wallets and cold wallets hand to each other until all have signed. They are
 * no part of the chain, and their form has changed twice (docs/protocol.md#partially-signed-transactions).
 */
import { DecodeError } from '../scale/codec-errors.ts';
import type { ScaleReader } from '../scale/reader.ts';
import type { Destination, Hex, InputWitness, Transaction, TxOutput } from '../types.ts';
import { AMOUNT_CODEC, bytes, byteVector, id, optional, u8 } from './codec.ts';
import { DESTINATION_CODEC } from './destination.ts';
import { readOutput, writeOutput } from './output.ts';
import { readTransaction } from './transaction.ts';
import { OUTPUT_VALUE_CODEC } from './value.ts';
import { WITNESS_CODEC } from './witness.ts';

/** Each list has an entry for each input, null where the wallet does not have it. */
export interface PartiallySignedTransaction {
  readonly transaction: Transaction;
  readonly signatures: readonly (InputWitness | null)[];
  /** The outputs that the inputs spend. */
  readonly spent: readonly (TxOutput | null)[];
  /** Who has to sign; null also for an input that needs no signature. */
  readonly signers: readonly (Destination | null)[];
  /** The position of the first byte behind the transaction, and of its first. */
  readonly range: readonly [start: number, end: number];
}

/** The first byte since version 1.3, before the transaction. Before, a transaction began at once, with its version. */
export const SINCE_1_3 = 64;

const SIGNATURE = optional<InputWitness>('a signature', WITNESS_CODEC);
const SPENT = optional<TxOutput>('a spent output', { read: readOutput, write: writeOutput });
const SIGNER = optional<Destination>('a signer', DESTINATION_CODEC);
const SECRET = optional<Hex>('a secret', bytes(32, 'a secret'));
const ID = id('an id');
const DECIMALS = u8('decimals');
const TICKER = byteVector('a ticker');

/** Reads all bytes. Throws DecodeError. */
export function readPartiallySigned(reader: ScaleReader): PartiallySignedTransaction {
  const isSince13 = reader.bytes[0] === SINCE_1_3;
  if (isSince13) reader.u8('the version');
  const start = reader.position;
  const transaction = readTransaction(reader);
  const end = reader.position;
  const forInputs = <T>(read: (each: ScaleReader) => T, what: string): T[] => {
    const at = reader.position;
    const values = reader.vector(read, what);
    const { length } = transaction.inputs;
    if (values.length !== length) reader.fail(`${what} for ${length} inputs`, `${values.length}`, at);
    return values;
  };
  const signatures = forInputs(SIGNATURE.read, 'signatures');
  const spent = forInputs(SPENT.read, 'spent outputs');
  const signers = forInputs(SIGNER.read, 'signers');
  forInputs(SECRET.read, 'secrets');
  // Up to version 1.0 that was all. The tokens of 1.1 and 1.2 were taken out before 1.3 got its first byte.
  const at = reader.position;
  try {
    if (isSince13 || reader.remaining > 0) readAdditions(reader, false);
    reader.end('a partially signed transaction');
  } catch (error) {
    if (isSince13 || !(error instanceof DecodeError)) throw error;
    reader.position = at;
    readAdditions(reader, true);
    reader.end('a partially signed transaction');
  }
  return { transaction, signatures, spent, signers, range: [start, end] };
}

/** Reads what signatures commit to besides the transaction; nothing of it is of use here. */
function readAdditions(reader: ScaleReader, hasTokens: boolean): void {
  if (hasTokens) reader.vector((each) => [ID.read(each), DECIMALS.read(each), TICKER.read(each)], 'tokens');
  reader.vector((each) => [ID.read(each), AMOUNT_CODEC.read(each)], 'pools');
  const readOrder = (each: ScaleReader) => {
    ID.read(each);
    OUTPUT_VALUE_CODEC.read(each);
    OUTPUT_VALUE_CODEC.read(each);
    AMOUNT_CODEC.read(each);
    AMOUNT_CODEC.read(each);
  };
  reader.vector(readOrder, 'orders');
}
