/** The transactions that were pending within the last hour, as far as there is room. */
import type { Id } from '../chain/types.ts';
import type { MempoolChange } from './changes.ts';
import type { PendingTransaction } from './transaction.ts';

const REMEMBERED_MS = 60 * 60 * 1_000;
const MOST_DROPPED = 100_000;
/** Bounds memory: a reorganisation needs only those that the newest blocks took. */
const MOST_CONFIRMED_BYTES = 2 * 1024 * 1024;

interface ConfirmedOne {
  readonly height: number;
  readonly transaction: PendingTransaction;
  readonly at: number;
}

export class Departed {
  /** Oldest first, as the next. */
  readonly #dropped = new Map<Id, number>();
  readonly #confirmed = new Map<Id, ConfirmedOne>();
  #confirmedBytes = 0;

  find(id: Id, now: number) {
    const confirmed = this.#confirmed.get(id);
    if (confirmed) return { state: 'Confirmed', height: confirmed.height, transaction: confirmed.transaction } as const;
    const at = this.#dropped.get(id);
    return at === undefined || now - at > REMEMBERED_MS ? undefined : ({ state: 'Dropped', at } as const);
  }

  /**
   * `pending`: as it was until now, undefined when another block had it. One that was never pending is not remembered,
   * but is no longer a dropped one.
   */
  confirm(id: Id, height: number, pending: PendingTransaction | undefined, at: number): void {
    const transaction = pending ?? this.#confirmed.get(id)?.transaction;
    this.forget(id);
    if (transaction === undefined) return;
    this.#confirmed.set(id, { height, transaction, at });
    this.#confirmedBytes += transaction.sizeBytes;
    this.#prune(at);
  }

  drop(id: Id, at: number): void {
    this.forget(id);
    this.#dropped.set(id, at);
    this.#prune(at);
  }

  forget(id: Id): void {
    this.#dropped.delete(id);
    const confirmed = this.#confirmed.get(id);
    if (confirmed === undefined) return;
    this.#confirmed.delete(id);
    this.#confirmedBytes -= confirmed.transaction.sizeBytes;
  }

  *snapshot(): Generator<MempoolChange> {
    for (const [id, { height, transaction, at }] of this.#confirmed) {
      yield { type: 'Added', transaction, isNew: false };
      yield { type: 'Confirmed', id, height, at };
    }
    for (const [id, at] of this.#dropped) yield { type: 'Dropped', id, at };
  }

  #prune(now: number): void {
    for (const [id, at] of this.#dropped) {
      if (now - at <= REMEMBERED_MS && this.#dropped.size <= MOST_DROPPED) break;
      this.#dropped.delete(id);
    }
    for (const [id, { at }] of this.#confirmed) {
      if (now - at <= REMEMBERED_MS && this.#confirmedBytes <= MOST_CONFIRMED_BYTES) break;
      this.forget(id);
    }
  }
}
