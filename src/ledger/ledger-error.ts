import type { Id } from '../chain/types.ts';

/** A block contradicts what came before it: it cannot be applied, and nothing of it was kept. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';

  constructor(what: string, where?: { height: number; blockId: Id; transactionId?: Id | undefined }) {
    const place = where
      ? `block ${where.blockId} at height ${where.height}${where.transactionId ? `, transaction ${where.transactionId}` : ''}: `
      : '';
    super(place + what);
  }
}
