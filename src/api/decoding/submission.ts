/** Transactions that clients submit. Pure. */
import { decodeSignedTransaction } from '../../chain/codec/transaction.ts';
import { transactionId } from '../../chain/derive-ids.ts';
import type { Hex, Id } from '../../chain/types.ts';

export interface Submission {
  readonly hex: Hex;
  readonly id: Id;
}

/**
 * The transaction in a body, which is the hex text itself or JSON with it as `transaction`: checked by decoding it whole.
 * Null where it is none.
 */
export function decodeSubmission(body: string): Submission | null {
  try {
    const hex = hexIn(body);
    const { transaction } = decodeSignedTransaction(Buffer.from(hex, 'hex'));
    return { hex, id: transactionId(transaction) };
  } catch {
    return null;
  }
}

function hexIn(text: string): Hex {
  const hex = text.startsWith('{') ? (JSON.parse(text) as { transaction?: unknown }).transaction : text;
  if (typeof hex !== 'string' || hex.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(hex)) throw new Error('not hex');
  return hex.toLowerCase();
}
