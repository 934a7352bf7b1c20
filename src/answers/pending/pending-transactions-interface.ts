/**
 * The interface of pending transactions for the routes: a pending set that follows the node, and the index revision
 * that it knows.
 */
import type { Hex, Id } from '../../chain/types.ts';
import { inDependencyOrder } from '../../mempool/dependency-order.ts';
import type { MempoolListener, PendingLookupResult } from '../../mempool/mirror.ts';
import { oncePerRevision } from '../../mempool/once-per-revision.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import { nodeUnavailable, unavailable } from '../../serving/errors/causes-of-503.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';

export interface PendingTransactions {
  /** The pending transactions. */
  readonly pool: PendingSet;
  /** The tip revision of the index that the pending set has processed; below zero before the first. */
  readonly revision: number;
  /** Why the node cannot be asked; null if it answered last. */
  readonly nodeProblem: Error | null;
  /** Resolves when the pending set has processed that revision. Throws the error 503 if that takes too long. */
  reached(revision: number): Promise<void>;
  /** Reports that the index has reached that tip; null: the index is incomplete and must not be read. */
  indexMoved(tip: SnapshotTip | null): void;
  /** Says where a transaction is that the index does not have. `client`: the name of the client. Never rejects. */
  find(id: Id, client: string): Promise<PendingLookupResult>;
  /**
   * Adds a transaction that the node has accepted. Resolves when it is pending in all processes of the server, or after
   * a second. Never rejects.
   */
  submitted(hex: Hex, id: Id): Promise<void>;
  /** Calls `listener`, which must not throw, after each change. Returns the function that stops this. */
  listen(listener: MempoolListener): () => void;
  close(): Promise<void>;
}

/** Returns the pending set; throws the error 503 while it is unknown. */
export function requirePendingSet(pending: PendingTransactions | null): PendingSet {
  if (pending === null) throw unavailable('no node for pending');
  if (!pending.pool.isAvailable) throw nodeUnavailable(pending.nodeProblem, 'pending not known');
  return pending.pool;
}

interface PendingContext {
  readonly pending: PendingTransactions | null;
  readonly tipWatch: Pick<TipWatch, 'advertisedRevision'>;
}

/** Returns the pending set at the tip that clients know, or at a later one; throws the error 503 while it is unknown. */
export async function currentPendingSet({ pending, tipWatch }: PendingContext): Promise<PendingSet> {
  requirePendingSet(pending);
  while (pending!.revision < tipWatch.advertisedRevision) await pending!.reached(tipWatch.advertisedRevision);
  return requirePendingSet(pending);
}

/** A state of the mempool. */
export interface MempoolState {
  readonly pool: PendingSet;
  readonly revision: number;
}

/** Returns the function that says whether the mempool is still in this state, at the tip that clients know. */
export function whileMempoolIs({ pool, revision }: MempoolState, { pending, tipWatch }: PendingContext): () => boolean {
  return () =>
    pending?.pool === pool &&
    pool.revision === revision &&
    pool.isAvailable &&
    tipWatch.advertisedRevision <= pending.revision;
}

/** `insertion`: in the order of their acceptance; `dependency`: parents before their children. */
export const MEMPOOL_SORTS = ['insertion', 'dependency'] as const;
export type MempoolSort = (typeof MEMPOOL_SORTS)[number];

/** The pending transactions, sorted as lists need them. */
export const PENDING_SORTERS: Readonly<Record<MempoolSort, (pool: PendingSet) => readonly PendingTransaction[]>> = {
  insertion: oncePerRevision((pool) => [...pool.transactions()]),
  dependency: oncePerRevision((pool) => inDependencyOrder(pool.transactions())),
};

/** Pending transactions as JSON. */
export interface PendingTransactionTexts {
  /** Throws a StoreError. */
  text(pool: PendingSet, transaction: PendingTransaction): Promise<string>;
}
