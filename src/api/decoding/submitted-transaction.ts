/** Transactions that clients submit. Pure. */
import { ScaleReader } from '../../chain/scale/reader.ts';
import type { Hex, Id } from '../../chain/types.ts';
import { decodePendingTransaction } from '../../mempool/transaction.ts';

export interface SubmittedTransaction {
  readonly hex: Hex;
  readonly id: Id;
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
