import type { Id, SignedTransaction } from '../../chain/types.ts';
import type { SubmissionOrigin } from '../served-node-interface.ts';

/** The real node's limits. */
const MAX_ORPHANS = 100;
const MAX_ORPHAN_BYTES = 20_000;

export interface OrphanTransaction {
  readonly id: Id;
  readonly transaction: SignedTransaction;
  readonly bytes: Uint8Array;
  readonly origin: SubmissionOrigin;
}

/** Transactions of peers that wait for what they spend. */
export class OrphanPool {
  readonly #byId = new Map<Id, OrphanTransaction>();

  get(id: Id): OrphanTransaction | undefined {
    return this.#byId.get(id);
  }

  /** False when it is too large. The oldest one makes room. */
  add(orphan: OrphanTransaction): boolean {
    if (orphan.bytes.length > MAX_ORPHAN_BYTES) return false;
    this.#byId.set(orphan.id, orphan);
    if (this.#byId.size > MAX_ORPHANS) this.#byId.delete(this.#byId.keys().next().value!);
    return true;
  }

  /** Takes all of them out, oldest first. */
  takeAll(): OrphanTransaction[] {
    const all = [...this.#byId.values()];
    this.#byId.clear();
    return all;
  }
}
