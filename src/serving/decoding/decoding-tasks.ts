/** The decoding tasks, done in the main thread or in that of {@link DecodingThread}. */
import querystring from 'node:querystring';
import { ScaleReader } from '../../chain/scale/reader.ts';
import { type SignatureFault, type SignedMessage, signatureFault } from '../../chain/signed-message.ts';
import type { Hex, Id } from '../../chain/types.ts';
import { decodePendingTransaction } from '../../mempool/pending-transaction.ts';
import { type DecodedPaste, decodePasted } from './pasted-text.ts';

interface SubmittedTransaction {
  readonly hex: Hex;
  readonly id: Id;
}
/** The result of each task. */
export interface DecodingResults {
  /** The result for the body of a submission. */
  readonly submission: SubmittedTransaction | null;
  /** The result for a form with a transaction to submit. */
  readonly submissionForm: SubmittedTransaction | null;
  /** The result for a form with a transaction or block to explain. */
  readonly pastedForm: DecodedPaste;
  /** The result for a text with a transaction or block to explain. */
  readonly pastedText: DecodedPaste;
  /** What is wrong with the signature of a {@link SignedMessage}, given as JSON; null: it is valid. */
  readonly signedMessage: SignatureFault | null;
}

export type DecodingTask = keyof DecodingResults;

export const DECODING_TASKS: { readonly [T in DecodingTask]: (body: Uint8Array) => DecodingResults[T] } = {
  submission: (body) => decodeSubmission(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')),
  submissionForm: (body) => decodeSubmission(formField(body)),
  pastedForm: (body) => decodePasted(formField(body)),
  pastedText: (body) => decodePasted(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')),
  signedMessage: (body) => signatureFault(JSON.parse(Buffer.from(body).toString()) as SignedMessage),
};

/** A message from the main thread. */
export interface DecodingRequest {
  readonly number: number;
  readonly task: DecodingTask;
  readonly body: Uint8Array;
}

/** A message to the main thread. */
export interface DecodingResponse {
  readonly number: number;
  readonly result: DecodingResults[DecodingTask];
}

/** Checks the elements of vectors without keeping them: a megabyte of small outputs would need 50 MB. */
class CheckingReader extends ScaleReader {
  override vector<T>(read: (reader: ScaleReader) => T, expected: string): T[] {
    const length = this.length(expected);
    for (let i = 0; i < length; i++) read(this);
    return new Array<T>(length);
  }
}

/**
 * Returns the transaction in a body: hex text, or JSON with the hex text as `transaction`. It is decoded completely to
 * check it. Null if the body has no transaction.
 */
export function decodeSubmission(body: string): SubmittedTransaction | null {
  try {
    const hex = hexIn(body);
    const bytes = Buffer.from(hex, 'hex');
    return { hex, id: decodePendingTransaction(bytes, new CheckingReader(bytes)).id };
  } catch {
    return null;
  }
}

function hexIn(text: string): Hex {
  const hex = text.startsWith('{') ? (JSON.parse(text) as { transaction?: unknown }).transaction : text;
  if (typeof hex !== 'string' || hex.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(hex)) throw new Error('not hex');
  return hex.toLowerCase();
}

/** The only field of the forms into which visitors paste a text to decode. */
const FIELD = 'hex=';
const [PLUS, SPACE] = Buffer.from('+ ');

/** Does the form have other fields? Parsing many fields could take any amount of time. */
export function hasAmpersand(body: Buffer): boolean {
  return body.includes('&');
}

/** Returns the text of the field; empty if it is missing. */
export function formField(body: Uint8Array): string {
  const bytes = Buffer.from(body);
  if (!bytes.subarray(0, FIELD.length).equals(Buffer.from(FIELD))) return '';
  const value = bytes.subarray(FIELD.length);
  // A loop, because `URLSearchParams` needs 40 ms for a text of 336,000 plus signs.
  for (let i = 0; i < value.length; i++) if (value[i] === PLUS) value[i] = SPACE!;
  return querystring.unescape(value.toString('latin1'));
}
