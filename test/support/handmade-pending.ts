/** Pending transactions that a test has made by hand, in place of a mirror. */
import type { PendingTransactions } from '../../src/answers/pending/pending-transactions-interface.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Id, SignedTransaction } from '../../src/chain/types.ts';
import { type IndexLookupResult, NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import type { MempoolListener, PendingLookupResult } from '../../src/mempool/mirror.ts';
import { PendingSet } from '../../src/mempool/pending-set.ts';
import { decodePendingTransaction } from '../../src/mempool/pending-transaction.ts';
import { resolveTransaction } from '../../src/mempool/resolve-transaction.ts';
import { NETWORK } from './fake-mempool.ts';

/** Adds a transaction to a pool as the mirror does, by what is confirmed at a height. */
export function addPending(
  pool: PendingSet,
  signed: SignedTransaction,
  confirmed: IndexLookupResult = NOTHING_CONFIRMED,
  height = 5,
): Id {
  const decoded = decodePendingTransaction(encodeSignedTransaction(signed));
  const resolution = resolveTransaction(NETWORK, height, decoded, pool.sources(confirmed, decoded.id));
  pool.apply({ type: 'Added', transaction: { ...decoded, ...resolution, origin: 'remote' }, isNew: true });
  return decoded.id;
}

export class HandmadePending implements PendingTransactions {
  readonly pool = new PendingSet(NETWORK);
  /** Knows every tip. */
  revision = Number.MAX_SAFE_INTEGER;
  readonly nodeProblem = null;
  /** Called when somebody asks where a transaction is. */
  beforeFind: () => void = () => {};

  constructor(transactions: readonly SignedTransaction[], confirmed: IndexLookupResult = NOTHING_CONFIRMED) {
    this.pool.apply({ type: 'State', state: { isComplete: true, staleSince: null } });
    for (const each of transactions) addPending(this.pool, each, confirmed);
  }

  async find(id: Id): Promise<PendingLookupResult> {
    this.beforeFind();
    return this.pool.find(id);
  }

  async submitted(): Promise<void> {}

  async reached(_revision: number): Promise<void> {}

  indexMoved(): void {}

  listen(_listener: MempoolListener): () => void {
    return () => {};
  }

  async close(): Promise<void> {}
}
