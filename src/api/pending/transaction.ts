/**
 * A transaction, wherever it is: in the index, or pending. Both are asked one after the other while blocks come and go, so
 * one that is in either of them must not be missed between the two, nor be shown as pending at a tip that has it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Id } from '../../chain/types.ts';
import type { Answer } from '../../mempool/mirror.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { ApiError } from '../route/api-error.ts';
import type { ApiContext, RouteResult } from '../route/context.ts';
import type { Pending } from './pending.ts';

/** How often both are asked anew. */
const MOST_TRIES = 20;
/** A process may know a block before another one can read it. */
const PAUSE_MS = 10;

/** What the index says: the answer of one that it has, or its tip. */
export type Indexed = { readonly reply: RouteResult } | { readonly reply: null; readonly tip: SnapshotTip };

type Context = Pick<ApiContext, 'profile' | 'pending' | 'pendingTexts' | 'tipWatch'>;

/** The confirmed one always where the index has it. Throws the error 404, which says in `described` what is known of it. */
export async function transactionReply(
  context: Context,
  id: Id,
  askIndex: () => Promise<Indexed>,
): Promise<RouteResult> {
  const { pending, tipWatch } = context;
  let indexed = await askIndex();
  for (let tries = 1; indexed.reply === null; tries++) {
    const { tip } = indexed;
    if (pending === null) throw unknown(context, tip, { mempool: 'unavailable' });
    const found = await pending.find(id);
    const isLast = tries >= MOST_TRIES;
    switch (found?.state) {
      case 'Pending': {
        const text = await textOf(context, pending, found.transaction);
        const isStill = pending.pool.find(id, Date.now())?.state !== 'Confirmed';
        if ((tipWatch.advertisedRevision <= tip.revision && isStill) || isLast) return { text, tip, isLive: true };
        break;
      }
      case 'Confirmed':
        // Either the index has moved on since it was asked, or it has left the block and the pool was not told yet.
        await pending.reached(tip.revision);
        if (isLast) return { text: await textOf(context, pending, found.transaction), tip, isLive: true };
        if (tries > 1) await sleep(PAUSE_MS);
        break;
      case 'Dropped':
      case 'Unavailable':
      case undefined: {
        const again = await askIndex();
        if (again.reply !== null) return again.reply;
        if (again.tip.revision === tip.revision || isLast) throw unknown(context, again.tip, detailsOf(found));
        indexed = again;
        continue;
      }
    }
    indexed = await askIndex();
  }
  return indexed.reply;
}

async function textOf({ pendingTexts }: Context, pending: Pending, transaction: PendingTransaction): Promise<string> {
  for (;;) {
    const text = pendingTexts.get(pending.pool, transaction);
    if (text !== undefined) return text;
    await pendingTexts.prepare(pending.pool, [transaction]);
  }
}

function detailsOf(found: Extract<Answer, { state: 'Dropped' | 'Unavailable' }> | undefined): ApiError['details'] {
  switch (found?.state) {
    case 'Dropped':
      return { dropped_at: Math.floor(found.at / 1_000) };
    case 'Unavailable':
      return { mempool: 'unavailable' };
    case undefined:
      return {};
  }
}

function unknown({ profile }: Context, tip: SnapshotTip, details: ApiError['details']): ApiError {
  return new ApiError(404, 'Transaction not found', undefined, tip, profile.saysWhyUnknown ? details : {});
}
