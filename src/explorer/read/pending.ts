/** Pending transactions for pages: as entries of lists, by what they pay, and what they do to an address. */

import { SnapshotChanged } from '../../api/errors/api-error.ts';
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import type { ApiContext } from '../../api/route/context.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import { type Flow, viewOfAddress } from '../../mempool/address-view.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import { type PoolTotals, totalsOf } from '../../mempool/totals.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { ListOrder } from '../../store/queries/list.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
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

/** The newest ones, newest first. */
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

/** A sort key of the list. */
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
export function transactionsByFeeRate(pool: PendingPool): RankedPool {
  const known = kept.get(pool);
  if (known?.revision === pool.revision) return known.ranked;
  const keyed = Array.from(pool.transactions(), (transaction) => ({ transaction, key: rateKey(transaction) }));
  keyed.sort((a, b) => compareRateKeys(a.key, b.key));
  const ranked = {
    totals: totalsOf(pool),
    isComplete: pool.isComplete,
    transactions: keyed.map(({ transaction }) => transaction),
  };
  kept.set(pool, { revision: pool.revision, ranked });
  return ranked;
}

/** The transactions after a sort key, which need not be one of the list any more. */
export function afterSortKey(
  transactions: readonly PendingTransaction[],
  sortKey: RateKey | null,
  limit: number,
): PendingTransaction[] {
  const found = sortKey === null ? 0 : transactions.findIndex((each) => compareRateKeys(rateKey(each), sortKey) > 0);
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
  return { rate: fee === null ? -1n : (fee * 1_000n) / BigInt(sizeBytes), id };
}

function compareRateKeys(a: RateKey, b: RateKey): number {
  if (a.rate !== b.rate) return a.rate > b.rate ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export interface PendingOfAddress {
  readonly state: PoolState;
  /** Gross: change is on both sides. The coin first, only what moves. */
  readonly flows: readonly CurrencyFlow[];
  readonly labels: TokenLabels;
  /** Of all that have to do with the address, the newest first. */
  readonly newest: readonly ListedTransaction[];
  readonly count: number;
}

interface CurrencyFlow extends Flow {
  readonly currency: Currency;
  /** Where it is known by a pending transaction only. */
  readonly pendingDecimals: number | null;
}

/** Pending transactions that are shown. */
const NEWEST = 10;

/** Null while nobody knows what is pending. Throws {@link SnapshotChanged} when the mempool is of a later tip, and StoreError. */
export async function pendingOfAddress(
  api: ApiContext,
  store: QueryRunner,
  tip: SnapshotTip,
  owner: Destination,
): Promise<PendingOfAddress | null> {
  const state = await poolAt(api, tip);
  if (state === null) return null;
  // What the index has is then older than what is pending: a transaction could be in neither.
  if (api.pending!.revision !== tip.revision) throw new SnapshotChanged();
  const { pool } = state;
  const { flows } = viewOfAddress(pool, owner);
  const transactions = pool.ofAddress(owner);
  const moving = [...flows].filter(([, { incoming, outgoing }]) => incoming > 0n || outgoing > 0n);
  const found = moving.map(([currency, flow]) => ({
    ...flow,
    currency,
    pendingDecimals: currency === COIN ? null : (pool.decimalsOf(currency) ?? null),
  }));
  const tokens = found.map(({ currency }) => currency).filter((currency) => currency !== COIN);
  const newest: PendingTransaction[] = transactions.slice(-NEWEST).reverse();
  const labels = await readTokenLabels(store, tip, tokens);
  return { state, flows: found, labels, newest: listedPending(api.network, newest), count: transactions.length };
}
