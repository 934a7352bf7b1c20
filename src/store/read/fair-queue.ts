/** A queue in which clients take turns: a client with a thousand items does not delay one with a single item. */

export class FairQueue<Item> {
  /** The items of each client, oldest first; the client whose turn it is comes first. */
  readonly #byClient = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(client: string, item: Item): void {
    const items = this.#byClient.get(client);
    if (items) items.push(item);
    else this.#byClient.set(client, [item]);
    this.#size++;
  }

  /** Removes the next item: the oldest one of the client whose turn it is. */
  next(): Item | undefined {
    for (const [client, items] of this.#byClient) {
      const item = items.shift()!;
      this.#byClient.delete(client);
      if (items.length > 0) this.#byClient.set(client, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Removes and returns the items that match. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [client, items] of this.#byClient) {
      const kept = items.filter((item) => !matches(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter(matches));
      if (kept.length > 0) this.#byClient.set(client, kept);
      else this.#byClient.delete(client);
    }
    this.#size -= removed.length;
    return removed;
  }
}
