/** Transactions as bytes (docs/protocol.md#transactions). */
import { EncodeError } from '../scale/codec-errors.ts';
import { decodeWhole, type ScaleReader } from '../scale/reader.ts';
import { encodeToBuffer, type ScaleWriter } from '../scale/writer.ts';
import type { InputWitness, SignedTransaction, Transaction } from '../types.ts';
import { behindVersion } from './codec.ts';
import { readInput, writeInput } from './input.ts';
import { readOutput, writeOutput } from './output.ts';
import { readWitness, writeWitness } from './witness.ts';

/** Encodes a transaction without signatures; its hash is the transaction's id. Throws EncodeError. */
export function encodeTransaction(transaction: Transaction): Buffer {
  return encodeToBuffer(TRANSACTION.write, transaction);
}

/** Encodes a transaction with signatures, as in blocks and RPC. Throws EncodeError. */
export function encodeSignedTransaction(signed: SignedTransaction): Buffer {
  return encodeToBuffer(writeSignedTransaction, signed, 512);
}

/** Throws DecodeError unless the bytes are exactly one signed transaction. */
export function decodeSignedTransaction(bytes: Uint8Array): SignedTransaction {
  return decodeWhole(bytes, readSignedTransaction, 'a signed transaction');
}

export function readSignedTransaction(reader: ScaleReader): SignedTransaction {
  const transaction = readTransaction(reader);
  return { transaction, signatures: readSignatures(reader, transaction) };
}

const TRANSACTION = behindVersion<Transaction>(1, 'a transaction', {
  read: (reader) => ({
    flags: reader.compact(16, 'the flags of a transaction'),
    inputs: reader.vector(readInput, 'the inputs of a transaction'),
    outputs: reader.vector(readOutput, 'the outputs of a transaction'),
  }),
  write(writer, { flags, inputs, outputs }) {
    writer.compact(flags, 128);
    writer.vector(inputs, writeInput);
    writer.vector(outputs, writeOutput);
  },
});

export const { read: readTransaction } = TRANSACTION;

/** Reads the witnesses that follow a transaction: one for each of its inputs. */
export function readSignatures(reader: ScaleReader, transaction: Transaction): InputWitness[] {
  const start = reader.position;
  const signatures = reader.vector(readWitness, 'the signatures of a transaction');
  const inputs = transaction.inputs.length;
  if (signatures.length !== inputs) reader.fail(`signatures for ${inputs} inputs`, `${signatures.length}`, start);
  return signatures;
}

function writeSignedTransaction(writer: ScaleWriter, { transaction, signatures }: SignedTransaction): void {
  const inputs = transaction.inputs.length;
  if (signatures.length !== inputs) throw new EncodeError(`${signatures.length} signatures for ${inputs} inputs`);
  TRANSACTION.write(writer, transaction);
  writer.vector(signatures, writeWitness);
}
