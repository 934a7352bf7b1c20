/** The outputs of an address without those that pending transactions spend. */
import type { Destination, Outpoint } from '../../chain/types.ts';
import { isSpentByPending, viewOfAddress } from '../../mempool/address-view.ts';
import type { OutputRow } from '../../store/queries/utxos.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { unavailable } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { availablePool } from './pending.ts';

interface Rows {
  readonly tip: SnapshotTip;
  readonly rows: OutputRow[];
}

/** How often the index is asked anew because it moved on, or because more is spent by now. */
const MOST_TRIES = 20;

/**
 * The first `most` rows (null: all) that no pending transaction spends; `read` gives the rows of the index. Both are of
 * one tip. Throws the error 503 while what is pending is not known.
 */
export async function withoutSpent(
  { pending, tipWatch }: Pick<ApiContext, 'pending' | 'tipWatch'>,
  owner: Destination,
  most: number | null,
  read: (most: number | null) => Promise<Rows>,
): Promise<Rows> {
  let spent = viewOfAddress(availablePool(pending), owner).spentOutpoints.length;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const asked = most === null ? null : most + spent;
    const { tip, rows } = await read(asked);
    await pending!.reached(tip.revision);
    if (pending!.revision !== tip.revision || tipWatch.advertisedRevision > tip.revision) continue;
    const pool = availablePool(pending);
    const left = rows.filter(({ entry }) => !isSpentByPending(pool, outpointOf(entry)));
    const isEnough = most === null || left.length >= most || rows.length < most + spent;
    if (isEnough) return { tip, rows: most === null ? left : left.slice(0, most) };
    spent = rows.length - left.length + 1;
  }
  throw unavailable('The chain moves on faster than this list can be read. Try again.');
}

const OUTPOINT = /^\{"outpoint":(\{[^}]*\})/;

/** As a list's entry begins (render/block-texts.ts). */
function outpointOf(entry: string): Outpoint {
  const { index, source_id, source_type } = JSON.parse(OUTPOINT.exec(entry)![1]!);
  return { index, sourceId: source_id, sourceType: source_type };
}
