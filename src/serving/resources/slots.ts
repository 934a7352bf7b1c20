/**
 * Slots for work that cannot be taken back once it has begun: statements, calls of the node, compressions. One client
 * never holds all of them, so that there is always one for another. Waiters wait in turns of clients, for a limited time.
 * A slot is released when its work has ended, not when the client's connection has closed.
 */
import { type Caller, ClientGone } from './caller.ts';
import { type OnRefused, ResourceRefusal, type SlotResource } from './shared-resources.ts';

export interface SlotsOptions {
  readonly resource: SlotResource;
  /** Total number of units. */
  readonly total: number;
  /** Maximum units of one client; less than `total`, unless `total` is 1. */
  readonly perClient: number;
  /** Maximum time that a client waits, in milliseconds. */
  readonly maxWaitMs: number;
  readonly weightOf: (client: string) => number;
  readonly onRefused: OnRefused;
}

interface Waiter {
  readonly client: string;
  readonly units: number;
  /** A time of `performance.now()`. */
  readonly since: number;
  start(): void;
  refuse(error: Error): void;
}

const CHECK_INTERVAL_MS = 100;
/**
 * Time for which waiters of fewer units may start before a waiter of more units than are free. Without it, small requests of
 * all clients wait for one large request, while another client holds most units.
 */
const PASSED_FOR_MS = 500;

export class Slots {
  readonly #options: SlotsOptions;
  readonly #usedBy = new Map<string, number>();
  readonly #waiting: TurnQueue<Waiter>;
  #used = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#waiting = new TurnQueue(options.weightOf);
  }

  get total(): number {
    return this.#options.total;
  }

  get perClient(): number {
    return this.#options.perClient;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Takes units if they are free and nobody waits. Each success needs a {@link release} with the same client and units.
   */
  tryAcquire(client: string, units = 1): boolean {
    const taken = this.#bounded(units);
    if (this.#waiting.size > 0 || !this.#fits(client, taken)) return false;
    this.#take(client, taken);
    return true;
  }

  /**
   * Takes units, now or at the client's turn. Rejects with a {@link ResourceRefusal} after `maxWaitMs`, and with {@link
   * ClientGone} if the connection closes before. Each success needs a {@link release} with the same client and units.
   */
  async acquire(caller: Caller, units = 1): Promise<void> {
    const { client } = caller;
    if (caller.isGone) throw new ClientGone();
    if (this.tryAcquire(client, units)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const since = performance.now();
    const waiter: Waiter = { client, units: this.#bounded(units), since, start: resolve, refuse: reject };
    const onGone = (): void => {
      this.#waiting.remove(client, waiter);
      reject(new ClientGone());
    };
    caller.onGone(onGone);
    this.#wait(waiter);
    try {
      await promise;
    } finally {
      caller.offGone(onGone);
    }
  }

  /** Releases units whose work has ended. */
  release(client: string, units = 1): void {
    const taken = this.#bounded(units);
    this.#used -= taken;
    const left = this.#usedByClient(client) - taken;
    if (left > 0) this.#usedBy.set(client, left);
    else this.#usedBy.delete(client);
    if (this.#waiting.size > 0) this.#startNext();
  }

  /** Runs work while units are held. Rejects with the errors of {@link acquire} and of the work. */
  async run<Result>(
    caller: Caller,
    units: number,
    work: (held: HeldUnits) => Result | Promise<Result>,
  ): Promise<Result> {
    await this.acquire(caller, units);
    const held = new HeldUnits(this, caller, units);
    try {
      return await work(held);
    } finally {
      held.end();
    }
  }

  /** A request for more than the client's limit is reduced to that limit. */
  #bounded(units: number): number {
    return Math.min(units, this.#options.perClient);
  }

  #usedByClient(client: string): number {
    return this.#usedBy.get(client) ?? 0;
  }

  #fits(client: string, units: number): boolean {
    return this.#used + units <= this.#options.total && this.#isWithinLimit(client, units);
  }

  #isWithinLimit(client: string, units: number): boolean {
    return this.#usedByClient(client) + units <= this.#options.perClient;
  }

  #take(client: string, units: number): void {
    this.#used += units;
    this.#usedBy.set(client, this.#usedByClient(client) + units);
  }

  #wait(waiter: Waiter): void {
    this.#waiting.add(waiter.client, waiter);
    this.#timer ??= setInterval(() => this.#refuseOverdue(), CHECK_INTERVAL_MS).unref();
    // It may start at once even if others wait, because those may be blocked by their own limit.
    this.#startNext();
  }

  /**
   * Starts waiters. Waiters whose client is at its limit are skipped. If the next one needs more than is free, smaller ones
   * are started before it for a while; then all wait until it has its units.
   */
  #startNext(): void {
    const { total } = this.#options;
    const now = performance.now();
    for (const { client, units, start } of this.#waiting.take(({ client, units, since }) => {
      if (!this.#isWithinLimit(client, units)) return 'pass over';
      if (this.#used + units <= total) return 'take';
      return since > now - PASSED_FOR_MS ? 'pass over' : 'stop';
    })) {
      this.#take(client, units);
      start();
    }
  }

  #refuseOverdue(): void {
    const since = performance.now() - this.#options.maxWaitMs;
    const isOverdue = (waiter: Waiter): boolean => waiter.since < since;
    const { resource, onRefused } = this.#options;
    const clients = this.#waiting.clients().filter((client) => isOverdue(this.#waiting.oldestOf(client)!));
    // Once for all clients: thousands may wait.
    const weights = clients.length > 0 ? this.#sumOfWeights() : 0;
    for (const client of clients) {
      const isOverShare = this.#isOverShare(client, weights);
      for (const waiter of this.#waiting.removeOldest(client, isOverdue)) {
        onRefused(resource, isOverShare ? 'over_share' : 'busy', client);
        waiter.refuse(new ResourceRefusal(resource, isOverShare));
      }
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The weights of all clients that hold or want units. */
  #sumOfWeights(): number {
    const clients = new Set([...this.#usedBy.keys(), ...this.#waiting.clients()]);
    return [...clients].reduce((sum, client) => sum + this.#options.weightOf(client), 0);
  }

  /** Does the client hold and want more than its share, its part of the units by these weights of all? */
  #isOverShare(client: string, weights: number): boolean {
    const { total, weightOf } = this.#options;
    const wanted = this.#usedByClient(client) + this.#waiting.countOf(client);
    return wanted > Math.max(1, (total * weightOf(client)) / weights);
  }
}

/**
 * Units that were acquired for some work. The work returns them while it waits for a scarcer resource, so that clients that
 * do not need that resource do not wait for it.
 */
export class HeldUnits {
  readonly #slots: Slots;
  readonly #caller: Caller;
  readonly #units: number;
  #state: 'held' | 'returned' | 'ended' = 'held';
  #acquiring: Promise<void> | null = null;

  constructor(slots: Slots, caller: Caller, units: number) {
    this.#slots = slots;
    this.#caller = caller;
    this.#units = units;
  }

  returnMeanwhile(): void {
    if (this.#state !== 'held') return;
    this.#state = 'returned';
    this.#slots.release(this.#caller.client, this.#units);
  }

  /** Rejects with the errors of {@link Slots.acquire}. */
  acquireAgain(): Promise<void> {
    if (this.#state !== 'returned') return Promise.resolve();
    this.#acquiring ??= this.#acquire().finally(() => {
      this.#acquiring = null;
    });
    return this.#acquiring;
  }

  /** The work has ended. */
  end(): void {
    this.returnMeanwhile();
    this.#state = 'ended';
  }

  async #acquire(): Promise<void> {
    await this.#slots.acquire(this.#caller, this.#units);
    if (this.#state === 'ended') this.#slots.release(this.#caller.client, this.#units);
    else this.#state = 'held';
  }
}

interface ClientQueue<Item> {
  /** The items, oldest first. */
  readonly items: Item[];
  /** The items that may still be taken in this turn. */
  left: number;
}

/**
 * A queue in which clients take turns, so a client with a thousand items does not delay one with a single item. In each
 * turn, as many items are taken as the client's weight.
 */
export class TurnQueue<Item> {
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

  /** Returns the clients that have items. */
  clients(): string[] {
    return [...this.#queues.keys()];
  }

  /** Returns the oldest item of a client; undefined if it has none. */
  oldestOf(client: string): Item | undefined {
    return this.#queues.get(client)?.items[0];
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
   * Removes items in turns, the oldest of each client first. `decide` is called for each item before it is taken. A
   * client whose item is passed over loses no turn.
   */
  *take(decide: (item: Item) => 'take' | 'pass over' | 'stop' = () => 'take'): Iterable<Item> {
    for (const [client, queue] of this.#queues) {
      // When its turn is over, a client moves to the end of the map.
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

  /** Removes the oldest items of a client, as long as they match. */
  removeOldest(client: string, matches: (item: Item) => boolean): Item[] {
    const items = this.#queues.get(client)?.items ?? [];
    const end = items.findIndex((item) => !matches(item));
    const removed = items.slice(0, end < 0 ? items.length : end);
    for (const item of removed) this.remove(client, item);
    return removed;
  }

  #endTurn(client: string, queue: ClientQueue<Item>): void {
    this.#queues.delete(client);
    if (queue.items.length === 0) return;
    queue.left = this.#weightOf(client);
    this.#queues.set(client, queue);
  }
}
