/** Remembers the transactions that left the mempool within the last hour: the newest, as far as there is room. */
import type { Destination, Id } from '../chain/types.ts';
import { IdsByAddress } from './ids-by-address.ts';
import type { PendingTransaction } from './pending-transaction.ts';

const REMEMBERED_MS = 60 * 60 * 1_000;
const MAX_DROPPED = 100_000;
/** The most addresses of all dropped transactions together; those of further ones are not remembered. */
const MAX_DROPPED_ADDRESSES = 50_000;
/** The most bytes of confirmed transactions. A reorganisation needs only those of the newest blocks. */
const MAX_CONFIRMED_BYTES = 2 * 1024 * 1024;

interface ConfirmedOne {
  readonly height: number;
  readonly transaction: PendingTransaction;
  readonly since: number;
}

interface DroppedOne {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly since: number;
  /** The addresses that it concerned, as far as they are known. */
  readonly addresses: ReadonlySet<Destination>;
}

const NO_ADDRESSES: ReadonlySet<Destination> = new Set();

export class DepartedTransactions {
  /** The dropped transactions, oldest first, as in `#confirmed`. */
  readonly #dropped = new Map<Id, DroppedOne>();
  readonly #droppedByAddress = new IdsByAddress();
  readonly #confirmed = new Map<Id, ConfirmedOne>();
  readonly #now: () => number;
  #confirmedBytes = 0;
  #droppedAddresses = 0;

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

  drop(id: Id, at: number, addresses: ReadonlySet<Destination> = NO_ADDRESSES): void {
    this.forget(id);
    const hasRoom = this.#droppedAddresses + addresses.size <= MAX_DROPPED_ADDRESSES;
    const remembered = hasRoom ? addresses : NO_ADDRESSES;
    this.#dropped.set(id, { at, since: this.#now(), addresses: remembered });
    this.#droppedAddresses += remembered.size;
    for (const address of remembered) this.#droppedByAddress.add(address, id);
    this.#prune();
  }

  /** The ids of the dropped transactions that concerned any of these addresses. */
  droppedOfAddresses(addresses: Iterable<Destination>): Id[] {
    this.#prune();
    return [...this.#droppedByAddress.of(addresses)];
  }

  forget(id: Id): void {
    this.#forgetDropped(id);
    const confirmed = this.#confirmed.get(id);
    if (confirmed === undefined) return;
    this.#confirmed.delete(id);
    this.#confirmedBytes -= confirmed.transaction.sizeBytes;
  }

  #forgetDropped(id: Id): void {
    const { addresses } = this.#dropped.get(id) ?? { addresses: NO_ADDRESSES };
    this.#droppedAddresses -= addresses.size;
    for (const address of addresses) this.#droppedByAddress.delete(address, id);
    this.#dropped.delete(id);
  }

  #prune(): void {
    const now = this.#now();
    for (const [id, { since }] of this.#dropped) {
      if (now - since <= REMEMBERED_MS && this.#dropped.size <= MAX_DROPPED) break;
      this.#forgetDropped(id);
    }
    for (const [id, { since }] of this.#confirmed) {
      if (now - since <= REMEMBERED_MS && this.#confirmedBytes <= MAX_CONFIRMED_BYTES) break;
      this.forget(id);
    }
  }
}
