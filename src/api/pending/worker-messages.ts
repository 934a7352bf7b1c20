/** The messages between the primary process, which has the mirror, and the workers, which have a copy of its pool. */
import type { Id } from '../../chain/types.ts';
import type { ChangeMessage } from '../../mempool/changes.ts';

/** As the mirror's answer; a pending transaction as the change that would add it. */
export type FoundMessage =
  | { readonly state: 'Pending'; readonly added: ChangeMessage }
  | { readonly state: 'Dropped'; readonly at: number }
  /** Known from the changes that came before, unless there is no room for it any more. */
  | { readonly state: 'Confirmed' | 'Unknown' | 'Unavailable' };

export type ToWorker =
  /** A whole pool follows: an empty one takes the changes from here on. */
  | { readonly pending: 'begin' }
  | { readonly pending: 'changes'; readonly changes: readonly ChangeMessage[] }
  /** The pool is complete; all earlier changes have been sent. */
  | { readonly pending: 'whole' }
  | { readonly pending: 'reached'; readonly revision: number }
  | { readonly pending: 'found'; readonly number: number; readonly found: FoundMessage };

export type ToPrimary =
  /** A worker is there and wants a whole pool. */
  | { readonly pending: 'wanted' }
  | { readonly pending: 'moved'; readonly revision: number | null }
  | { readonly pending: 'find'; readonly number: number; readonly id: Id };

export function isPendingMessage<Message extends ToWorker | ToPrimary>(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'pending' in message;
}
