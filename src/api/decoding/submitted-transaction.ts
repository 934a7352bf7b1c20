/** Transactions that clients submit. Pure. */
import type { Hex, Id } from '../../chain/types.ts';
import { decodePending } from '../../mempool/transaction.ts';

export interface SubmittedTransaction {
  readonly hex: Hex;
  readonly id: Id;
}

/**
 * Returns the transaction in a body: hex text, or JSON with the hex text as `transaction`. It is decoded completely to
 * check it. Null if the body has no transaction.
 */
export function decodeSubmission(body: string): SubmittedTransaction | null {
  try {
    const hex = hexIn(body);
    return { hex, id: decodePending(Buffer.from(hex, 'hex')).id };
  } catch {
    return null;
  }
}

function hexIn(text: string): Hex {
  const hex = text.startsWith('{') ? (JSON.parse(text) as { transaction?: unknown }).transaction : text;
  if (typeof hex !== 'string' || hex.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(hex)) throw new Error('not hex');
  return hex.toLowerCase();
}
