/** The changes of the pending set, and the events for clients among them. */
import type { Id } from '../chain/types.ts';
import type { PendingTransaction, TransactionResolution } from './pending-transaction.ts';

export interface MirrorState {
  /** False while the node's list is too long to be returned, or exceeds the limits of this copy. */
  readonly isComplete: boolean;
  /** The time, in milliseconds of a monotonic clock, since when the node cannot be followed; null while it can. */
  readonly staleSince: number | null;
}

export const INITIAL_MIRROR_STATE: MirrorState = { isComplete: true, staleSince: Number.NEGATIVE_INFINITY };

export type MempoolChange =
  /** A transaction was added behind all others. `isNew`: it was not there already when the mirror began. */
  | { readonly type: 'Added'; readonly transaction: PendingTransaction; readonly isNew: boolean }
  /** More is known about a transaction. */
  | { readonly type: 'Resolved'; readonly id: Id; readonly resolution: TransactionResolution }
  /** The index has the transaction in a block. */
  | { readonly type: 'Confirmed'; readonly id: Id; readonly height: number }
  /**
   * A transaction that was pending, or in a removed block, is neither any more. `at`: milliseconds since the epoch.
   * `transaction`: as far as it is remembered.
   */
  | {
      readonly type: 'Dropped';
      readonly id: Id;
      readonly at: number;
      readonly transaction: PendingTransaction | undefined;
    }
  /** The transaction was the oldest and was removed to make room. The node may still have it. */
  | { readonly type: 'Forgotten'; readonly id: Id }
  /** The pending transactions have a new order. */
  | { readonly type: 'Ordered'; readonly ids: readonly Id[] }
  | { readonly type: 'State'; readonly state: MirrorState };

/** The events for clients, of listed transactions only. */
export type MempoolClientEvent =
  /** Sent once for each stay in the list, also if a transaction that the mirror found at its start is listed later. */
  | { readonly type: 'seen'; readonly transaction: PendingTransaction }
  | { readonly type: 'dropped'; readonly id: Id; readonly transaction: PendingTransaction | undefined };
