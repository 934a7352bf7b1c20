/** Reads pending transactions for pages: as entries of lists, by fee rate, and by address. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { namePendingActors } from '../../answers/name-command-actors.ts';
import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { outlineOfPending } from '../../answers/transaction-outline.ts';
import { destinationAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { feeRate } from '../../chain/fee-rate.ts';
import { isStakeOutput } from '../../chain/input-and-output-kinds.ts';
import type { Atoms, Destination, Id, ResolvedInput } from '../../chain/types.ts';
import { type MempoolTotals, mempoolTotals } from '../../mempool/mempool-totals.ts';
import { oncePerRevision } from '../../mempool/once-per-revision.ts';
import { pendingChangesOfAddress } from '../../mempool/pending-address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import type { ListOrder } from '../../store/queries/lists/define-list.ts';
import type { PoolRow } from '../../store/queries/pools/pools.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { ListedTransaction, ListedTransactions } from '../parts/transaction-table.ts';
import { readSentenceNames, shownChanges, summariesOf } from './listed-transactions.ts';

interface PendingSetState {
  readonly pool: PendingSet;
  /** Revision of the pending set; anything computed from it is valid while the revision is the same. */
  readonly revision: number;
}

/** Returns the mempool at a tip or a later one; null while it is unknown. */
export async function pendingSetAt(
  { pending }: Pick<AnswersContext, 'pending'>,
  tip: SnapshotTip,
): Promise<PendingSetState | null> {
  if (pending === null) return null;
  try {
    while (pending.revision < tip.revision) await pending.reached(tip.revision);
  } catch {
    return null;
  }
  const { pool } = pending;
  return pool.isAvailable ? { pool, revision: pool.revision } : null;
}

/** Returns the mempool at this tip, as {@link pendingSetAt} does. Throws {@link SnapshotChanged} if it has a later one. */
async function pendingSetOf(
  answers: Pick<AnswersContext, 'pending'>,
  tip: SnapshotTip,
): Promise<PendingSetState | null> {
  const state = await pendingSetAt(answers, tip);
  // The index would be older than the mempool: a transaction confirmed in between would be in neither.
  if (state !== null && answers.pending!.revision !== tip.revision) throw new SnapshotChanged();
  return state;
}

/** Returns the pending transaction that ends a pool, as {@link pendingSetOf} does; undefined if there is none. */
export async function pendingDecommission(
  answers: Pick<AnswersContext, 'pending'>,
  tip: SnapshotTip,
  { pool_id, decommission_destination }: PoolRow,
): Promise<{ readonly state: PendingSetState; readonly txId: Id | undefined } | null> {
  const state = await pendingSetOf(answers, tip);
  if (state === null) return null;
  const endsPool = (input: ResolvedInput | null) =>
    input !== null && isStakeOutput(input.output) && input.output.poolId === pool_id;
  const end = state.pool.ofAddress(decommission_destination).find(({ inputs }) => inputs.some(endsPool));
  return { state, txId: end?.id };
}

/** Returns the newest transactions, newest first. */
export function newestPendingTransactions(pool: PendingSet, limit: number): PendingTransaction[] {
  const newest: PendingTransaction[] = [];
  for (const transaction of pool.transactions()) {
    if (newest.length === limit) newest.shift();
    newest.push(transaction);
  }
  return newest.reverse();
}

/** Converts pending transactions to entries of a list. Throws a StoreError. */
export async function listedPending(
  { network, pendingPresenter }: Pick<AnswersContext, 'network' | 'pendingPresenter'>,
  store: QueryRunner,
  pool: PendingSet,
  transactions: readonly PendingTransaction[],
): Promise<ListedTransaction[]> {
  const listed = await Promise.all(
    transactions.map(async (transaction) => ({
      transaction: await outlineOfPending(network, transaction, (each) => pendingPresenter.text(pool, each)),
      size: transaction.sizeBytes,
      place: null,
      seenAt: transaction.seenAt,
    })),
  );
  const commands = listed.map(({ transaction }, i) => ({ ...transaction, transaction: transactions[i]! }));
  await namePendingActors(network, store, pool, commands);
  return listed;
}

/** The sort key of the list. */
interface RateKey {
  /** Atoms per 1,000 bytes; −1 if the fee is unknown, so that these come last. */
  readonly rate: bigint;
  readonly id: Id;
}

interface RankedPool {
  readonly totals: MempoolTotals;
  readonly isComplete: boolean;
  /** All pending transactions, in this order. */
  readonly transactions: readonly PendingTransaction[];
}

/** Sorts the pending set by fee rate; all pages of the list share the result. */
export const transactionsByFeeRate = oncePerRevision((pool): RankedPool => {
  const keyed = Array.from(pool.transactions(), (transaction) => ({ transaction, key: rateKey(transaction) }));
  keyed.sort((a, b) => compareRateKeys(a.key, b.key));
  return {
    totals: mempoolTotals(pool),
    isComplete: pool.isComplete,
    transactions: keyed.map(({ transaction }) => transaction),
  };
});

/** Returns the transactions after a sort key, whose own transaction may have left the list. */
export function transactionsAfterSortKey(
  transactions: readonly PendingTransaction[],
  sortKey: RateKey | null,
  limit: number,
): PendingTransaction[] {
  const found = sortKey === null ? 0 : transactions.findIndex((each) => compareRateKeys(rateKey(each), sortKey) > 0);
  return found < 0 ? [] : transactions.slice(found, found + limit);
}

/** The name and order of the list. */
export const PENDING_BY_FEE_RATE: ListOrder<RateKey, PendingTransaction> & { readonly name: () => string } = {
  name: () => 'pending by rate',
  fields: { rate: 'bigint', id: 'hash' },
  sortKey: rateKey,
  isEntry: (_): _ is PendingTransaction => true,
};

function rateKey({ id, fee, sizeBytes }: PendingTransaction): RateKey {
  return { rate: fee === null ? -1n : feeRate(fee, sizeBytes), id };
}

function compareRateKeys(a: RateKey, b: RateKey): number {
  if (a.rate !== b.rate) return a.rate > b.rate ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export interface PendingOfAddress {
  readonly state: PendingSetState;
  /** What they bring, less what they take, by currency: coins first; without those that stay the same. */
  readonly changes: readonly { readonly currency: Currency; readonly atoms: Atoms }[];
  readonly labels: TokenLabels;
  /** The newest transactions that concern the address, newest first. */
  readonly newest: ListedTransactions;
  readonly count: number;
}

/** The most pending transactions shown. */
const NEWEST = 10;

/**
 * Returns null while the mempool is unknown. Throws {@link SnapshotChanged} as {@link pendingSetOf} does, and StoreError.
 */
export async function pendingOfAddress(
  answers: AnswersContext,
  store: QueryRunner,
  tip: SnapshotTip,
  owner: Destination,
): Promise<PendingOfAddress | null> {
  const state = await pendingSetOf(answers, tip);
  if (state === null) return null;
  const { pool } = state;
  const { flows } = pendingChangesOfAddress(pool, owner);
  const changes = Array.from(flows, ([currency, { incoming, outgoing }]) => ({ currency, atoms: incoming - outgoing }));
  const transactions = pool.ofAddress(owner);
  const newest: PendingTransaction[] = transactions.slice(-NEWEST).reverse();
  const listed = await listedPending(answers, store, pool, newest);
  const names = await readSentenceNames(answers.network, store, tip, summariesOf(listed), {
    changes: shownChanges(listed, destinationAddress(answers.network, owner)),
  });
  const tokens = [...flows.keys()].filter((currency) => currency !== COIN);
  return {
    state,
    changes: changes.filter(({ atoms }) => atoms !== 0n),
    labels: await readTokenLabels(store, tip, tokens),
    newest: { listed, names },
    count: transactions.length,
  };
}
