/** A queue in which clients take turns: who has a thousand things to ask does not keep waiting who has one. */

export class FairQueue<Item> {
  /** What each client waits for; the one whose turn it is comes first. */
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

  /** Takes out what comes next: of the client whose turn it is, what it has waited for longest. */
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

  /** Takes out, and gives, those for which it is so. */
  remove(isSo: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [client, items] of this.#byClient) {
      const kept = items.filter((item) => !isSo(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter(isSo));
      if (kept.length > 0) this.#byClient.set(client, kept);
      else this.#byClient.delete(client);
    }
    this.#size -= removed.length;
    return removed;
  }
}
