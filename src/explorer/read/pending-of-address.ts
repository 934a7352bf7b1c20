/** What pending transactions do to an address, of the same tip as what the index says of it. */
import { SnapshotChanged } from '../../api/errors/api-error.ts';
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import type { ApiContext } from '../../api/route/context.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Destination } from '../../chain/types.ts';
import { type Flow, viewOfAddress } from '../../mempool/address-view.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
import type { ListedTransaction } from '../parts/transaction-table.ts';
import { listedPending, type PoolState, poolAt } from './pending.ts';

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
  const found = moving.map(([currency, flow]) => ({ ...flow, currency, pendingDecimals: decimalsIn(pool, currency) }));
  const tokens = found.map(({ currency }) => currency).filter((currency) => currency !== COIN);
  const newest: PendingTransaction[] = transactions.slice(-NEWEST).reverse();
  const [labels, listed] = await Promise.all([readTokenLabels(store, tip, tokens), listedPending(api, pool, newest)]);
  return { state, flows: found, labels, newest: listed, count: transactions.length };
}

function decimalsIn(pool: PendingPool, currency: Currency): number | null {
  return currency === COIN ? null : (pool.decimalsOf(currency) ?? null);
}
