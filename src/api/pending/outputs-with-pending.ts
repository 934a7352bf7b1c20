/** Outputs of the index, together with what pending transactions do to them. */

import { type PendingTransactions, requirePendingSet } from '../../answers/pending/pending-transactions-interface.ts';
import type { Destination, Id } from '../../chain/types.ts';
import {
  isUnlockedFor,
  type PendingOutput,
  pendingOutputsOfAddress,
  pendingSpenderOf,
} from '../../mempool/pending-address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { outpointJsonOfEntry } from '../../render/output-entry.ts';
import { unavailable } from '../../serving/errors/causes-of-503.ts';
import type { OutputRow } from '../../store/queries/addresses/address-outputs.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../../store/read/query.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import { MEMPOOL_FIELDS, presentMempoolOutput } from '../present/mempool.ts';
import type { PendingTransactionPresenter } from './pending-transaction-presenter.ts';

/** The most reads of the index, if its tip changes or more must be read than assumed. */
const MAX_TRIES = 20;

interface PendingContext {
  readonly pending: PendingTransactions | null;
  readonly pendingPresenter: PendingTransactionPresenter;
  readonly tipWatch: TipWatch;
}

/**
 * Reads the index, and calls `make` with the pending set at the same tip; again while it returns null. Throws the error 503 while
 * the mempool is unknown, and what `readIndex` throws.
 */
export async function readWithPending<Data extends { readonly tip: SnapshotTip }, Value>(
  { pending, pendingPresenter, tipWatch }: PendingContext,
  readIndex: () => Promise<Data>,
  make: (data: Data, pool: PendingSet, render: RenderContext) => Value | null,
): Promise<Value> {
  requirePendingSet(pending);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const data = await readIndex();
    const { revision } = data.tip;
    await pending!.reached(revision);
    if (pending!.revision !== revision || tipWatch.advertisedRevision > revision) continue;
    const pool = requirePendingSet(pending);
    const attempt = pendingPresenter.attempt(pool, (render) => make(data, pool, render));
    if ('missing' in attempt) await pendingPresenter.read(attempt.missing);
    else if (attempt.value !== null) return attempt.value;
  }
  throw unavailable('tip changed during list');
}

/** What pending transactions change in a list of outputs. */
export interface PendingOutputOptions {
  /** Is an output that a pending transaction spends left out? */
  readonly excludesSpent: boolean;
  /** Are outputs of pending transactions added, and is said what spends each output? */
  readonly withMempool: boolean;
}

/** An output of the index; `mempoolFields`: the fields to append to its JSON. */
export type OutputWithPending = OutputRow & { readonly mempoolFields?: string };

export interface OutputsWithPending extends SnapshotRows<OutputWithPending> {
  /** The JSON of the outputs of pending transactions. They come after all others, on the last page. */
  readonly ofPending: readonly string[];
  readonly dependsOnMempool: true;
}

interface OutputSelection {
  readonly owner: Destination;
  readonly limit: number | null;
  /** Only outputs that can be spent in the next block? As {@link isUnlockedFor}. */
  readonly spendableOnly?: boolean;
  readonly refundWaitsForLock?: boolean;
}

/**
 * Returns the first `limit` outputs (null: all) with what pending transactions change. `readOutputs` reads outputs of the index.
 * `afterOutput`: fields of an output of a pending transaction. Throws the error 503 while the mempool is unknown.
 */
export function readOutputsWithPending<Selection extends OutputSelection>(
  context: PendingContext,
  store: QueryRunner,
  readOutputs: (store: QueryRunner, selection: Selection) => Promise<SnapshotRows<OutputRow>>,
  selection: Selection,
  { excludesSpent, withMempool, afterOutput = '' }: PendingOutputOptions & { readonly afterOutput?: string },
): Promise<OutputsWithPending> {
  const { owner, limit, spendableOnly = false, refundWaitsForLock = false } = selection;
  // As many as may have to be left out.
  let spare = excludesSpent ? requirePendingSet(context.pending).ofAddress(owner).length : 0;
  const read = () => readOutputs(store, { ...selection, limit: limit === null ? null : limit + spare });
  return readWithPending(context, read, ({ tip, rows }, pool, render) => {
    const spent = rows.map((row) => ({ row, spentBy: spenderOf(pool, row) }));
    const kept = excludesSpent ? spent.filter(({ spentBy }) => spentBy === null) : spent;
    const isLastPage = limit === null || kept.length < limit;
    if (isLastPage && limit !== null && rows.length === limit + spare) {
      spare = rows.length - kept.length + 1;
      return null;
    }
    const page = limit === null ? kept : kept.slice(0, limit);
    if (!withMempool) return { tip, rows: page.map(({ row }) => row), ofPending: [], dependsOnMempool: true };
    const isListed = (output: PendingOutput) =>
      !(excludesSpent && output.spentBy !== null) &&
      (!spendableOnly || isUnlockedFor(output, owner, refundWaitsForLock));
    const added = isLastPage ? pendingOutputsOfAddress(pool, owner).filter(isListed) : [];
    return {
      tip,
      rows: page.map(({ row, spentBy }) => ({
        ...row,
        mempoolFields: MEMPOOL_FIELDS.text({ isPending: false, spentBy }, render.network),
      })),
      ofPending: added.map((output) => presentMempoolOutput(render, output, afterOutput)),
      dependsOnMempool: true,
    };
  });
}

function spenderOf(pool: PendingSet, { entry }: OutputRow): Id | null {
  const { index, source_id, source_type } = JSON.parse(outpointJsonOfEntry(entry));
  return pendingSpenderOf(pool, { index, sourceId: source_id, sourceType: source_type });
}
