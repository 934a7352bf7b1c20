/** Pending transactions for pages. */

import type { ApiContext } from '../../api/route/context.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { ListedTransaction } from '../parts/transaction-table.ts';
import { outlineOfPending } from './transaction-outline.ts';

export interface PoolState {
  readonly pool: PendingPool;
  /** Of the pool: what is made of it holds until it is another one. */
  readonly revision: number;
}

/** Pages with fee rates are made anew after this time: the rates themselves may be half a minute old. */
export const FEE_RATES_MAX_AGE_MS = 10_000;

/** What is pending at a tip or a later one; null while that is not known. */
export async function poolAt({ pending }: Pick<ApiContext, 'pending'>, tip: SnapshotTip): Promise<PoolState | null> {
  if (pending === null) return null;
  try {
    while (pending.revision < tip.revision) await pending.reached(tip.revision);
  } catch {
    return null;
  }
  const { pool } = pending;
  return pool.isAvailable ? { pool, revision: pool.revision } : null;
}

/** The youngest ones, newest first. */
export function newestPending(pool: PendingPool, limit: number): PendingTransaction[] {
  const newest: PendingTransaction[] = [];
  for (const transaction of pool.transactions()) {
    if (newest.length === limit) newest.shift();
    newest.push(transaction);
  }
  return newest.reverse();
}

/** Pending transactions as entries of a list. */
export function listedPending(network: Network, transactions: readonly PendingTransaction[]): ListedTransaction[] {
  return transactions.map((transaction) => ({
    transaction: outlineOfPending(network, transaction),
    size: transaction.sizeBytes,
    place: null,
  }));
}
