/** The changes of the pending transactions, as a stream. */
import { unknownKind } from '../chain/kind-facts.ts';
import type { Id } from '../chain/types.ts';
import type { PendingTransaction, Resolution } from './transaction.ts';

export interface MirrorState {
  /** False while the node's list is too long to be returned, or exceeds the limits of this copy. */
  readonly isComplete: boolean;
  /** Milliseconds of a monotonic clock since when the node cannot be followed. Null while it can. */
  readonly staleSince: number | null;
}

export const NEVER_FOLLOWED: MirrorState = { isComplete: true, staleSince: Number.NEGATIVE_INFINITY };

export type MempoolChange =
  /** Comes after all others. `isNew`: it was not there already when the mirror began. */
  | { readonly type: 'Added'; readonly transaction: PendingTransaction; readonly isNew: boolean }
  /** More is known of it than before. */
  | { readonly type: 'Resolved'; readonly id: Id; readonly resolution: Resolution }
  /** The index has it in a block. */
  | { readonly type: 'Confirmed'; readonly id: Id; readonly height: number }
  /** It was pending, or in a block that was left, and is neither any more. `at`: milliseconds since the epoch. */
  | { readonly type: 'Dropped'; readonly id: Id; readonly at: number }
  /** Is no longer kept here, though it may be pending: the oldest make room. */
  | { readonly type: 'Forgotten'; readonly id: Id }
  /** The order of all pending ones. */
  | { readonly type: 'Ordered'; readonly ids: readonly Id[] }
  | { readonly type: 'State'; readonly state: MirrorState };

/** The events for clients. */
type MempoolNews =
  /** Once for each stay. */
  { readonly type: 'seen'; readonly transaction: PendingTransaction } | { readonly type: 'dropped'; readonly id: Id };

/** Undefined for a change that is no news to clients. */
export function newsOf(change: MempoolChange): MempoolNews | undefined {
  switch (change.type) {
    case 'Added':
      return change.isNew ? { type: 'seen', transaction: change.transaction } : undefined;
    case 'Dropped':
      return { type: 'dropped', id: change.id };
    case 'Resolved':
    case 'Confirmed':
    case 'Forgotten':
    case 'Ordered':
    case 'State':
      return undefined;
    default:
      return unknownKind(change);
  }
}
