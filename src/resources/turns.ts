/**
 * A queue in which clients take turns: a client with a thousand items does not delay one with a single item. A client with
 * a weight has that many items taken in a turn.
 */
interface ClientQueue<Item> {
  /** Oldest first. */
  readonly items: Item[];
  /** Items that may still be taken in this turn. */
  left: number;
}

export class Turns<Item> {
  /** The client whose turn it is comes first. */
  readonly #queues = new Map<string, ClientQueue<Item>>();
  readonly #weightOf: (client: string) => number;
  #size = 0;

  constructor(weightOf: (client: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#size;
  }

  /** The clients that have items. */
  clients(): string[] {
    return [...this.#queues.keys()];
  }

  countOf(client: string): number {
    return this.#queues.get(client)?.items.length ?? 0;
  }

  add(client: string, item: Item): void {
    const queue = this.#queues.get(client);
    if (queue) queue.items.push(item);
    else this.#queues.set(client, { items: [item], left: this.#weightOf(client) });
    this.#size++;
  }

  /**
   * Removes items in turns, the oldest of each client first. `decide` is asked about each before it is taken; a client
   * whose item it passes over loses no turn.
   */
  *take(decide: (item: Item) => 'take' | 'pass over' | 'stop' = () => 'take'): Iterable<Item> {
    for (const [client, queue] of this.#queues) {
      // A client comes again at the end of the map when its turn is over.
      while (queue.items.length > 0) {
        const decision = decide(queue.items[0]!);
        if (decision === 'stop') return;
        if (decision === 'pass over') break;
        const item = queue.items.shift()!;
        this.#size--;
        const isOver = --queue.left <= 0 || queue.items.length === 0;
        if (isOver) this.#endTurn(client, queue);
        yield item;
        if (isOver) break;
      }
    }
  }

  /** Removes an item of a client. */
  remove(client: string, item: Item): void {
    const queue = this.#queues.get(client);
    const index = queue?.items.indexOf(item) ?? -1;
    if (queue === undefined || index < 0) return;
    queue.items.splice(index, 1);
    this.#size--;
    if (queue.items.length === 0) this.#queues.delete(client);
  }

  /** Removes the items of a client from its oldest on, as long as they match. */
  removeOldest(client: string, matches: (item: Item) => boolean): Item[] {
    const items = this.#queues.get(client)?.items ?? [];
    const end = items.findIndex((item) => !matches(item));
    const removed = items.slice(0, end < 0 ? items.length : end);
    for (const item of removed) this.remove(client, item);
    return removed;
  }

  /** Removes the newest item of the client with most items in relation to its weight. */
  takeNewestOfLongest(): Item | undefined {
    let longest: string | undefined;
    let most = 0;
    for (const [client, { items }] of this.#queues) {
      const weighted = items.length / this.#weightOf(client);
      if (weighted <= most) continue;
      most = weighted;
      longest = client;
    }
    const newest = longest === undefined ? undefined : this.#queues.get(longest)!.items.at(-1);
    if (newest !== undefined) this.remove(longest!, newest);
    return newest;
  }

  #endTurn(client: string, queue: ClientQueue<Item>): void {
    this.#queues.delete(client);
    if (queue.items.length === 0) return;
    queue.left = this.#weightOf(client);
    this.#queues.set(client, queue);
  }
}
