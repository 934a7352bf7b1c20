/**
 * Finds a transaction, confirmed or pending. The index and the mempool are read one after the other while blocks come
 * and go. A transaction in either must be found, and must not be shown as pending at a tip that contains it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Id } from '../../chain/types.ts';
import type { PendingLookupResult } from '../../mempool/mirror.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import type { ApiError } from '../../serving/errors/api-error.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { getTransaction, type TransactionRow } from '../../store/queries/transactions/transactions.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import { type LateTokenDecimals, readDecimalsOfLaterIssuedTokens } from '../decimals-of-later-issued-tokens.ts';
import type { PendingTransactions, PendingTransactionTexts } from './pending-transactions-interface.ts';

export type FoundTransaction =
  | {
      readonly state: 'confirmed';
      readonly tip: SnapshotTip;
      readonly row: TransactionRow;
      readonly lateDecimals: LateTokenDecimals;
    }
  | {
      readonly state: 'pending';
      readonly tip: SnapshotTip;
      /** The transaction as JSON. */
      readonly text: string;
      readonly transaction: PendingTransaction;
      readonly dependsOnMempool: true;
    }
  | { readonly state: 'unknown'; readonly tip: SnapshotTip; readonly details: UnknownDetails };

/**
 * Details about a transaction that was not found: `dropped_at` (seconds since the epoch), or `mempool: "unavailable"`.
 */
type UnknownDetails = ApiError['details'];

interface Context {
  readonly pending: PendingTransactions | null;
  readonly pendingPresenter: PendingTransactionTexts;
  readonly tipWatch: TipWatch;
}

/** The most attempts to read the index and the mempool. */
const MAX_TRIES = 20;
/** The pause between attempts: a process may know a block before another process can read it. */
const PAUSE_MS = 10;

/** Finds a transaction; a confirmed one wins. Throws the error 503 if the mempool is too far behind the index. */
export async function findTransaction(
  { pending, pendingPresenter, tipWatch }: Context,
  store: QueryRunner,
  id: Id,
  { client }: Caller,
): Promise<FoundTransaction> {
  let indexed = await getTransaction(store, id);
  for (let tries = 1; ; tries++) {
    const { tip, rows } = indexed;
    const [row] = rows;
    if (row) {
      const lateDecimals = await readDecimalsOfLaterIssuedTokens(store, tip, [row.body]);
      return { state: 'confirmed', tip, row, lateDecimals };
    }
    if (pending === null) return { state: 'unknown', tip, details: { mempool: 'unavailable' } };
    const found = await pending.find(id, client);
    const isLast = tries >= MAX_TRIES;
    switch (found?.state) {
      case 'Pending': {
        const { transaction } = found;
        const text = await pendingPresenter.text(pending.pool, transaction);
        const isStill = pending.pool.find(id)?.state !== 'Confirmed';
        const isCurrent = tipWatch.advertisedRevision <= tip.revision && isStill;
        if (isCurrent || isLast) return { state: 'pending', tip, text, transaction, dependsOnMempool: true };
        indexed = await getTransaction(store, id);
        break;
      }
      case 'Confirmed':
        // The index has moved on since it was read, or the block of the transaction was removed and the set does not know it
        // yet.
        await pending.reached(tip.revision);
        if (isLast) {
          const { transaction } = found;
          const text = await pendingPresenter.text(pending.pool, transaction);
          return { state: 'pending', tip, text, transaction, dependsOnMempool: true };
        }
        if (tries > 1) await sleep(PAUSE_MS);
        indexed = await getTransaction(store, id);
        break;
      case 'Dropped':
      case 'Unavailable':
      case undefined: {
        indexed = await getTransaction(store, id);
        // Neither has it. But if the tip changed between the two reads, the mempool is read again.
        const isCurrent = indexed.tip.revision === tip.revision || isLast;
        if (indexed.rows.length === 0 && isCurrent) {
          return { state: 'unknown', tip: indexed.tip, details: detailsOf(found) };
        }
      }
    }
  }
}

function detailsOf(
  found: Extract<PendingLookupResult, { state: 'Dropped' | 'Unavailable' }> | undefined,
): UnknownDetails {
  switch (found?.state) {
    case 'Dropped':
      return { dropped_at: Math.floor(found.at / 1_000) };
    case 'Unavailable':
      return { mempool: 'unavailable' };
    case undefined:
      return {};
  }
}
