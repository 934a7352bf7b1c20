/** Pending transactions as the routes see them: a pool that follows the node, and the index revision that it knows. */
import type { Id } from '../../chain/types.ts';
import type { MempoolChange } from '../../mempool/changes.ts';
import type { Answer } from '../../mempool/mirror.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import { unavailable } from '../errors/unavailable.ts';

/** `Lost`: this process missed changes, and has started over with a whole pool. */
export type PendingChange = MempoolChange | { readonly type: 'Lost' };

export interface PendingTransactions {
  /** What is pending now. Another object after changes were missed. */
  readonly pool: PendingPool;
  /** The revision of the index's tip that the pool has processed; below zero before the first. */
  readonly revision: number;
  /** Resolves when the pool has processed that revision. Throws the error 503 if that takes too long. */
  reached(revision: number): Promise<void>;
  /** Reports that the index has reached that revision; null: it is not complete and must not be read. */
  indexMoved(revision: number | null): void;
  /** Where a transaction is that the index does not have. Never rejects. */
  find(id: Id): Promise<Answer>;
  /** Calls `listener`, which must not throw, after each change until the function that it gives is called. */
  listen(listener: (news: PendingChange) => void): () => void;
  close(): Promise<void>;
}

/** What is pending; throws the error 503 while that is not known. */
export function requirePendingPool(pending: PendingTransactions | null): PendingPool {
  if (pending === null) throw unavailable('no node for pending');
  if (!pending.pool.isAvailable(Date.now())) throw unavailable('pending not known');
  return pending.pool;
}

/** What is pending at the tip that clients know, or at a later one; throws the error 503 while that is not known. */
export async function currentPendingPool({
  pending,
  tipWatch,
}: {
  readonly pending: PendingTransactions | null;
  readonly tipWatch: Pick<TipWatch, 'advertisedRevision'>;
}): Promise<PendingPool> {
  requirePendingPool(pending);
  while (pending!.revision < tipWatch.advertisedRevision) await pending!.reached(tipWatch.advertisedRevision);
  return requirePendingPool(pending);
}

/** Waits until a transaction that the node has just taken is pending here, too, or `withinMs` are over. */
export async function waitUntilPending(pending: PendingTransactions, id: Id, withinMs: number): Promise<void> {
  const isHere = () => {
    const state = pending.pool.find(id, Date.now())?.state;
    return state === 'Pending' || state === 'Confirmed';
  };
  if (isHere()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = pending.listen(() => isHere() && resolve());
  const timer = setTimeout(resolve, withinMs);
  try {
    // If the node was asked for it a moment ago, its event reports it.
    const found = await Promise.race([pending.find(id), promise]);
    if (found?.state !== 'Pending' && !isHere()) await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
