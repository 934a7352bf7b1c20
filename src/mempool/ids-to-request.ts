import type { Id } from '../chain/types.ts';
import type { TransactionOrigin } from './pending-transaction.ts';

/** The most ids in the queue. Others come with the node's next list. */
const MAX_QUEUED = 20_000;
/** With more ids than this, requesting the whole list is faster. */
const MANY_QUEUED = 200;

/** The most pending transactions that `addChecks` adds at once. */
const CHECKED_AT_ONCE = 200;

interface Queued {
  /** The origin of the transaction, if the node has it. */
  readonly origin: TransactionOrigin;
  /**
   * Was the transaction pending, or in a removed block? Then it has left the mempool if the node does not have
   * it.
   */
  readonly wasThere: boolean;
}

/** The ids to request from the node next, oldest first. */
export class IdsToRequest {
  readonly #queued = new Map<Id, Queued>();
  /** The id that `addChecks` added last. */
  #checked: Id | undefined;

  get size(): number {
    return this.#queued.size;
  }

  /** Are there so many ids that requesting the whole list is faster? */
  get isLong(): boolean {
    return this.#queued.size > MANY_QUEUED;
  }

  add(id: Id, queued: Queued): void {
    if (this.#queued.size < MAX_QUEUED) this.#queued.set(id, queued);
  }

  /**
   * Adds the next of the pending transactions for a check whether they have left. It is called while the node returns
   * no list.
   */
  addChecks(pending: readonly Id[]): void {
    const from = this.#checked === undefined ? 0 : pending.indexOf(this.#checked) + 1;
    const chosen = [...pending.slice(from), ...pending.slice(0, from)].slice(0, CHECKED_AT_ONCE);
    for (const id of chosen) if (!this.#queued.has(id)) this.add(id, { origin: 'remote', wasThere: true });
    this.#checked = chosen.at(-1);
  }

  get(id: Id): Queued | undefined {
    return this.#queued.get(id);
  }

  delete(id: Id): void {
    this.#queued.delete(id);
  }

  first(count: number): [Id, Queued][] {
    return [...this.#queued.entries().take(count)];
  }

  all(): Map<Id, Queued> {
    return new Map(this.#queued);
  }
}
