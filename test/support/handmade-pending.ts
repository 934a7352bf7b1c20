/** Pending transactions that a test has made by hand, in place of a mirror. */
import type { PendingTransactions } from '../../src/api/pending/pending-interface.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Id, SignedTransaction } from '../../src/chain/types.ts';
import { type IndexLookupResult, NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import type { PendingLookupResult } from '../../src/mempool/mirror.ts';
import { PendingSet } from '../../src/mempool/pending-set.ts';
import { resolveTransaction } from '../../src/mempool/resolve-transaction.ts';
import { decodePendingTransaction } from '../../src/mempool/transaction.ts';
import { NETWORK } from './fake-mempool.ts';

export class HandmadePending implements PendingTransactions {
  readonly pool = new PendingSet(NETWORK);
  /** Knows every tip. */
  revision = Number.MAX_SAFE_INTEGER;
  /** Called when somebody asks where a transaction is. */
  beforeFind: () => void = () => {};

  constructor(transactions: readonly SignedTransaction[], confirmed: IndexLookupResult = NOTHING_CONFIRMED) {
    this.pool.apply({ type: 'State', state: { isComplete: true, staleSince: null } });
    for (const each of transactions) {
      const decoded = decodePendingTransaction(encodeSignedTransaction(each));
      const resolution = resolveTransaction(NETWORK, 5, decoded, this.pool.sources(confirmed, decoded.id));
      const transaction = { ...decoded, ...resolution, origin: 'remote' } as const;
      this.pool.apply({ type: 'Added', transaction, isNew: true });
    }
  }

  async find(id: Id): Promise<PendingLookupResult> {
    this.beforeFind();
    return this.pool.find(id);
  }

  async submitted(): Promise<void> {}

  async reached(_revision: number): Promise<void> {}

  indexMoved(): void {}

  listen(): () => void {
    return () => {};
  }

  async close(): Promise<void> {}
}
