/** Pending transactions by what they pay, the dearest first. */
import type { Atoms, Id } from '../../chain/types.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import { type PoolTotals, totalsOf } from '../../mempool/totals.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { ListOrder } from '../../store/queries/list.ts';

/** A place in the list. */
interface RateKey {
  /** Atoms per 1,000 bytes; −1 where the fee is not known: these come last. */
  readonly rate: bigint;
  readonly id: Id;
}

interface RankedPool {
  readonly totals: PoolTotals;
  readonly isComplete: boolean;
  /** All of them. */
  readonly transactions: readonly PendingTransaction[];
}

const kept = new WeakMap<PendingPool, { readonly revision: number; readonly ranked: RankedPool }>();

/** Made once for each state of the pool: all pages of the list share it. */
export function rankedPool(pool: PendingPool): RankedPool {
  const known = kept.get(pool);
  if (known?.revision === pool.revision) return known.ranked;
  const keyed = Array.from(pool.transactions(), (transaction) => ({ transaction, key: rateKey(transaction) }));
  keyed.sort((a, b) => comparePlaces(a.key, b.key));
  const ranked = {
    totals: totalsOf(pool),
    isComplete: pool.isComplete,
    transactions: keyed.map(({ transaction }) => transaction),
  };
  kept.set(pool, { revision: pool.revision, ranked });
  return ranked;
}

/** The transactions after a place, which need not be one of the list any more. */
export function afterPlace(
  transactions: readonly PendingTransaction[],
  place: RateKey | null,
  limit: number,
): PendingTransaction[] {
  const found = place === null ? 0 : transactions.findIndex((each) => comparePlaces(rateKey(each), place) > 0);
  return found < 0 ? [] : transactions.slice(found, found + limit);
}

/** The list's name and order. */
export const PENDING_BY_RATE: ListOrder<RateKey, PendingTransaction> & { readonly name: () => string } = {
  name: () => 'pending by rate',
  fields: { rate: 'bigint', id: 'hash' },
  sortKey: rateKey,
  isEntry: (_): _ is PendingTransaction => true,
};

function rateKey({ id, fee, sizeBytes }: PendingTransaction): RateKey {
  return { rate: rateOf(fee, sizeBytes), id };
}

function rateOf(fee: Atoms | null, sizeBytes: number): bigint {
  return fee === null ? -1n : (fee * 1_000n) / BigInt(sizeBytes);
}

function comparePlaces(a: RateKey, b: RateKey): number {
  if (a.rate !== b.rate) return a.rate > b.rate ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
