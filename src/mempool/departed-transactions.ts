/** Remembers the transactions that left the mempool within the last hour: the newest, as far as there is room. */
import type { Id } from '../chain/types.ts';
import type { PendingTransaction } from './transaction.ts';

const REMEMBERED_MS = 60 * 60 * 1_000;
const MAX_DROPPED = 100_000;
/** The most bytes of confirmed transactions. A reorganisation needs only those of the newest blocks. */
const MAX_CONFIRMED_BYTES = 2 * 1024 * 1024;

interface ConfirmedOne {
  readonly height: number;
  readonly transaction: PendingTransaction;
  readonly since: number;
}

export class DepartedTransactions {
  /** The dropped transactions, oldest first, as in `#confirmed`. `at`: in milliseconds since the epoch. */
  readonly #dropped = new Map<Id, { readonly at: number; readonly since: number }>();
  readonly #confirmed = new Map<Id, ConfirmedOne>();
  readonly #now: () => number;
  #confirmedBytes = 0;

  /** `now`: the milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  find(id: Id) {
    const confirmed = this.#confirmed.get(id);
    if (confirmed) return { state: 'Confirmed', height: confirmed.height, transaction: confirmed.transaction } as const;
    const dropped = this.#dropped.get(id);
    if (dropped === undefined || this.#now() - dropped.since > REMEMBERED_MS) return undefined;
    return { state: 'Dropped', at: dropped.at } as const;
  }

  /**
   * Notes a confirmation. `pending`: the transaction as it was pending; undefined if it was not. One that was never pending
   * is not remembered, but it no longer counts as dropped.
   */
  confirm(id: Id, height: number, pending: PendingTransaction | undefined): void {
    const transaction = pending ?? this.#confirmed.get(id)?.transaction;
    this.forget(id);
    if (transaction === undefined) return;
    this.#confirmed.set(id, { height, transaction, since: this.#now() });
    this.#confirmedBytes += transaction.sizeBytes;
    this.#prune();
  }

  drop(id: Id, at: number): void {
    this.forget(id);
    this.#dropped.set(id, { at, since: this.#now() });
    this.#prune();
  }

  forget(id: Id): void {
    this.#dropped.delete(id);
    const confirmed = this.#confirmed.get(id);
    if (confirmed === undefined) return;
    this.#confirmed.delete(id);
    this.#confirmedBytes -= confirmed.transaction.sizeBytes;
  }

  #prune(): void {
    const now = this.#now();
    for (const [id, { since }] of this.#dropped) {
      if (now - since <= REMEMBERED_MS && this.#dropped.size <= MAX_DROPPED) break;
      this.#dropped.delete(id);
    }
    for (const [id, { since }] of this.#confirmed) {
      if (now - since <= REMEMBERED_MS && this.#confirmedBytes <= MAX_CONFIRMED_BYTES) break;
      this.forget(id);
    }
  }
}
