/** The outputs of an address without those that pending transactions spend. */
import type { Destination, Outpoint } from '../../chain/types.ts';
import { isSpentByPending, pendingChangesOfAddress } from '../../mempool/address-changes.ts';
import { outpointJsonOfEntry } from '../../render/output-entry.ts';
import type { OutputRow } from '../../store/queries/address-outputs.ts';
import type { SnapshotRows, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import { type PendingTransactions, requirePendingSet } from './pending-interface.ts';

/** The most reads of the index, if its tip changes or more outputs are spent than assumed. */
const MAX_TRIES = 20;

/**
 * Returns the first `limit` outputs (null: all) that no pending transaction spends. `readOutputs` reads outputs of the
 * index at the same tip. Throws the error 503 while the mempool is unknown.
 */
export async function readUnspentByPending<
  Params extends { readonly owner: Destination; readonly limit: number | null },
>(
  { pending, tipWatch }: { readonly pending: PendingTransactions | null; readonly tipWatch: TipWatch },
  store: UnbatchedQueryRunner,
  readOutputs: (store: UnbatchedQueryRunner, params: Params) => Promise<SnapshotRows<OutputRow>>,
  params: Params,
): Promise<SnapshotRows<OutputRow>> {
  const { owner, limit } = params;
  let spent = pendingChangesOfAddress(requirePendingSet(pending), owner).spentOutpoints.length;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { tip, rows } = await readOutputs(store, { ...params, limit: limit === null ? null : limit + spent });
    await pending!.reached(tip.revision);
    if (pending!.revision !== tip.revision || tipWatch.advertisedRevision > tip.revision) continue;
    const pool = requirePendingSet(pending);
    const left = rows.filter(({ entry }) => !isSpentByPending(pool, outpointOf(entry)));
    const isEnough = limit === null || left.length >= limit || rows.length < limit + spent;
    if (isEnough) return { tip, rows: limit === null ? left : left.slice(0, limit) };
    spent = rows.length - left.length + 1;
  }
  throw unavailable('tip changed during list');
}

function outpointOf(entry: string): Outpoint {
  const { index, source_id, source_type } = JSON.parse(outpointJsonOfEntry(entry));
  return { index, sourceId: source_id, sourceType: source_type };
}
