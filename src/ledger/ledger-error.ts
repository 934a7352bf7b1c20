import type { Id } from '../chain/types.ts';

/** A block contradicts the ledger's state: it cannot be applied, and nothing of it is stored. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';

  constructor(what: string, where?: { height: number; blockId: Id; transactionId?: Id | undefined }) {
    const place = where
      ? `block ${where.blockId} at height ${where.height}${where.transactionId ? `, transaction ${where.transactionId}` : ''}: `
      : '';
    super(place + what);
  }
}
