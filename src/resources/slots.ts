/**
 * Slots for work that cannot be taken back once it has begun: statements, calls of the node, compressions. One client never
 * holds all of them, so that there is always one for another. Who has to wait, waits in turns of clients, and only for
 * so long. A slot is free again when its work has ended, not when the client's connection has.
 */
import { type Caller, ClientGone, type OnRefused, ResourceRefusal, type SlotResource } from './shared-resources.ts';
import { Turns } from './turns.ts';

export interface SlotsOptions {
  readonly resource: SlotResource;
  /** Units in all. */
  readonly total: number;
  /** Units of one client; less than `total`, unless there is only one. */
  readonly perClient: number;
  /** How long a client waits, in milliseconds. */
  readonly maxWaitMs: number;
  /** How many wait at most; above that, the client with most of them loses its newest. */
  readonly maxWaiting: number;
  readonly weightOf: (client: string) => number;
  readonly onRefused: OnRefused;
}

interface Waiter {
  readonly client: string;
  readonly units: number;
  /** By `performance.now()`. */
  readonly since: number;
  start(): void;
  refuse(error: Error): void;
}

const CHECK_INTERVAL_MS = 100;

export class Slots {
  readonly #options: SlotsOptions;
  readonly #usedBy = new Map<string, number>();
  readonly #waiting: Turns<Waiter>;
  #used = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#waiting = new Turns(options.weightOf);
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

  /** Takes units if they are free and nobody waits. Each success needs a {@link release} with the same client and units. */
  tryAcquire(client: string, units = 1): boolean {
    const taken = this.#bounded(units);
    if (this.#waiting.size > 0 || !this.#fits(client, taken)) return false;
    this.#take(client, taken);
    return true;
  }

  /**
   * Takes units, now or when it is the client's turn. Rejects with a {@link ResourceRefusal} after `maxWaitMs`, and with
   * {@link ClientGone} when the connection closes before. Each success needs a {@link release} with the same client and units.
   */
  async acquire(caller: Caller, units = 1): Promise<void> {
    const { client } = caller;
    if (caller.isGone) throw new ClientGone();
    if (this.tryAcquire(client, units)) return;
    await new Promise<void>((resolve, reject) => {
      const onGone = (): void => {
        this.#waiting.remove(client, waiter);
        waiter.refuse(new ClientGone());
      };
      const waiter: Waiter = {
        client,
        units: this.#bounded(units),
        since: performance.now(),
        start: () => {
          caller.offGone(onGone);
          resolve();
        },
        refuse: (error) => {
          caller.offGone(onGone);
          reject(error);
        },
      };
      caller.onGone(onGone);
      this.#wait(waiter);
    });
  }

  /** Gives units back: the work has ended. */
  release(client: string, units = 1): void {
    const taken = this.#bounded(units);
    this.#used -= taken;
    const left = this.#usedByClient(client) - taken;
    if (left > 0) this.#usedBy.set(client, left);
    else this.#usedBy.delete(client);
    if (this.#waiting.size > 0) this.#startNext();
  }

  /** Runs work with units held. Rejects as {@link acquire} and as the work does. */
  async run<Result>(caller: Caller, units: number, work: () => Result | Promise<Result>): Promise<Result> {
    const { client } = caller;
    await this.acquire(caller, units);
    try {
      return await work();
    } finally {
      this.release(client, units);
    }
  }

  /** More than one client may hold counts as all that it may. */
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
    // It may fit although others wait: those may be at the limits of their clients.
    this.#startNext();
    if (this.#waiting.size > this.#options.maxWaiting) this.#shortenLongestQueue();
  }

  /** Those whose clients are at their limits are passed over; who needs more units than are free holds up the others. */
  #startNext(): void {
    for (const { client, units, start } of this.#waiting.take(({ client, units }) => {
      if (!this.#isWithinLimit(client, units)) return 'pass over';
      return this.#used + units <= this.#options.total ? 'take' : 'stop';
    })) {
      this.#take(client, units);
      start();
    }
  }

  #shortenLongestQueue(): void {
    const newest = this.#waiting.takeNewestOfLongest();
    if (newest === undefined) return;
    this.#options.onRefused('waiting', 'taken_back', newest.client);
    newest.refuse(new ResourceRefusal('waiting', true));
  }

  #refuseOverdue(): void {
    const since = performance.now() - this.#options.maxWaitMs;
    const { resource, onRefused } = this.#options;
    for (const client of this.#waiting.clients()) {
      const isOverShare = this.#isOverShare(client);
      for (const waiter of this.#waiting.removeOldest(client, (oldest) => oldest.since < since)) {
        onRefused(resource, isOverShare ? 'over_share' : 'busy', client);
        waiter.refuse(new ResourceRefusal(resource, isOverShare));
      }
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Does the client hold and want more than its part of the units, divided among all that hold or want some? */
  #isOverShare(client: string): boolean {
    const { total, weightOf } = this.#options;
    let weights = 0;
    for (const each of new Set([...this.#usedBy.keys(), ...this.#waiting.clients()])) weights += weightOf(each);
    const wanted = this.#usedByClient(client) + this.#waiting.countOf(client);
    return wanted > Math.max(1, (total * weightOf(client)) / weights);
  }
}
