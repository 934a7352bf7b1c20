/** The ids of transactions by the addresses that they concern. */
import type { Destination, Id } from '../chain/types.ts';

/** One id or several. Most addresses have one, and a set of one id would take ten times the memory. */
type Ids = Id | Set<Id>;

export class IdsByAddress {
  readonly #ids = new Map<Destination, Ids>();

  add(address: Destination, id: Id): void {
    const ids = this.#ids.get(address);
    if (ids === undefined) this.#ids.set(address, id);
    else if (typeof ids !== 'string') ids.add(id);
    else if (ids !== id) this.#ids.set(address, new Set([ids, id]));
  }

  delete(address: Destination, id: Id): void {
    const ids = this.#ids.get(address);
    if (ids === id) this.#ids.delete(address);
    else if (typeof ids === 'object' && ids.delete(id) && ids.size === 1) {
      this.#ids.set(address, ids.values().next().value!);
    }
  }

  /** Returns the ids of all these addresses together. */
  of(addresses: Iterable<Destination>): ReadonlySet<Id> {
    const found = new Set<Id>();
    for (const address of addresses) {
      const ids = this.#ids.get(address);
      if (typeof ids === 'string') found.add(ids);
      else if (ids !== undefined) for (const id of ids) found.add(id);
    }
    return found;
  }
}
