/** The pending transactions of a wallet, at the tip of what was read from the index. */

import type { PendingTransactions } from '../../answers/pending/pending-transactions-interface.ts';
import type { Destination } from '../../chain/types.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { WalletPending } from '../present/wallet.ts';
import type { PendingTransactionPresenter } from './pending-transaction-presenter.ts';

/** The most pending transactions of a response, and the most ids of dropped ones. */
const MAX_WALLET_PENDING = 500;

const NOT_KNOWN: WalletPending = { transactions: null, isComplete: false, unconfirmedAgain: [], dropped: [] };

interface Context {
  readonly pending: PendingTransactions | null;
  readonly pendingPresenter: PendingTransactionPresenter;
  readonly tipWatch: Pick<TipWatch, 'advertisedRevision'>;
}

/**
 * Reads the pending transactions of addresses. `ancestorHeight`: of the common ancestor, if the client is told of removed
 * blocks. Throws {@link SnapshotChanged} if the mempool is known at a later tip only, and the error 503 if it is too far
 * behind.
 */
export async function readWalletPending(
  { pending, pendingPresenter, tipWatch }: Context,
  owners: readonly Destination[],
  tip: SnapshotTip,
  ancestorHeight: number | null,
): Promise<WalletPending> {
  if (pending === null || !pending.pool.isAvailable) return NOT_KNOWN;
  await pending.reached(tip.revision);
  for (;;) {
    if (pending.revision !== tip.revision || tipWatch.advertisedRevision > tip.revision) throw new SnapshotChanged();
    const { pool } = pending;
    const { revision } = pool;
    const all = pool.ofAddresses(owners);
    const found = all.slice(0, MAX_WALLET_PENDING);
    const isComplete = pool.isComplete && found.length === all.length;
    const dropped = pool.droppedOfAddresses(owners).slice(-MAX_WALLET_PENDING);
    const transactions = await Promise.all(found.map((transaction) => pendingPresenter.text(pool, transaction)));
    // The pending set may have changed while decimals were read.
    if (pool.revision !== revision) continue;
    const isAgain = (height: number | undefined) =>
      ancestorHeight !== null && height !== undefined && height > ancestorHeight;
    const unconfirmedAgain = found.filter(({ unconfirmedFrom }) => isAgain(unconfirmedFrom)).map(({ id }) => id);
    return { transactions, isComplete, unconfirmedAgain, dropped };
  }
}
