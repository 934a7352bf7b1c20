/**
 * The clients of the stream, and sending to them. One timer sends all keepalives. However many clients there are, other
 * requests get their turn within milliseconds.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Id } from '../../chain/types.ts';
import { StreamCounts } from '../../serving/metrics/metrics.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { Holding, Holdings } from '../../serving/resources/reclaimable-holdings.ts';
import type { EventFilter, EventType } from './event-filter.ts';
import type { EventFrames } from './event-frames.ts';
import { RecentEvents } from './recent-events.ts';
import { StreamClient, type StreamResponse } from './stream-client.ts';
import { EncodedEvent, mempoolTransactionOf, type StreamEvent } from './stream-event.ts';

export interface StreamHubOptions {
  readonly frames: EventFrames;
  /** The streams of this process. */
  readonly streams: Holdings;
  readonly maxStreamsPerClient: number;
  /** The most events, and bytes of events, that a client may be behind. */
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** The idle time before a keepalive comment is sent. */
  readonly keepaliveMs: number;
  /** A client that takes nothing for this long is disconnected. */
  readonly silenceMs?: number;
  /** Called every second while there are clients. */
  readonly onTick?: () => void;
  /** Called when the first client comes, and when the last one goes. */
  readonly onFirst?: () => void;
  readonly onLast?: () => void;
}

/** The types of events that no replay sends. */
const MEMPOOL_TYPES: readonly EventType[] = ['tx_seen', 'tx_dropped', 'activity', 'status'];
const OF_MEMPOOL: ReadonlySet<StreamEvent['type']> = new Set(['seen', 'dropped', 'activity', 'status']);
const TICK_MS = 1_000;
const SILENCE_MS = 120_000;
/** The time for writing to clients before other requests get their turn. */
const SLICE_MS = 1;
/** The time for clients to take some of many events before more are sent. */
const PATIENCE_MS = 100;
const LOOK_AT_CLOCK_EVERY = 8;
/** If more events than this wait, the events of the mempool are no longer kept one by one. */
const MAX_WAITING = 20_000;
/** The time over which streams are ended at a stop, so that not all clients reconnect at once. */
const MAX_END_MS = 3_000;
const END_STEP_MS = 20;
const ENDED_WITHOUT_HASTE = 100;

export class StreamHub {
  readonly counts = new StreamCounts();
  readonly #options: StreamHubOptions;
  readonly #recent: RecentEvents;
  readonly #clients = new Map<StreamClient, Holding>();
  /** Clients whose connections take nothing at the moment. */
  readonly #blocked = new Set<StreamClient>();
  #withSubjects = 0;
  #withDeepSubjects = 0;
  #withStatus = 0;
  #tick: NodeJS.Timeout | undefined;
  #isTelling = false;
  /** Was it told that events of the mempool are not kept now? */
  #isLossTold = false;
  #isEnding = false;
  #told = Promise.withResolvers<void>();

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.#recent = new RecentEvents({ entries: options.maxEvents, bytes: options.maxBytes });
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Does any client have subjects? */
  get hasSubjects(): boolean {
    return this.#withSubjects > 0;
  }

  /** Does any client have subjects that need the contents of transactions? */
  get needsTransactionBodies(): boolean {
    return this.#withDeepSubjects > 0;
  }

  /** Does any client want the events of the node's state? */
  get wantsStatus(): boolean {
    return this.#withStatus > 0;
  }

  /** The number of the next event. */
  get next(): number {
    return this.#recent.next;
  }

  /** May this client have another stream? */
  hasRoomFor({ client }: Caller): boolean {
    const { streams, maxStreamsPerClient } = this.#options;
    const isFree = streams.hasRoomFor(client, maxStreamsPerClient);
    if (!isFree) this.counts.refused++;
    return isFree;
  }

  /** Adds a client, which gets no events until it is attached. If all streams are in use, another stream is cut. */
  add(response: StreamResponse, caller: Caller, filter: EventFilter): StreamClient {
    const client = new StreamClient(response, caller, filter, this.counts, (it) => this.#deliver(it));
    const holding: Holding = { client: caller.client, amount: 1, takeBack: () => client.cut() };
    if (this.#clients.size === 0) this.#options.onFirst?.();
    this.#clients.set(client, holding);
    this.#options.streams.add(holding);
    this.counts.open = this.#clients.size;
    if (filter.subjects !== null) this.#withSubjects++;
    if (filter.needsTransactionBodies) this.#withDeepSubjects++;
    if (filter.types.has('status')) this.#withStatus++;
    this.#tick ??= setInterval(() => void this.#onTick(), TICK_MS).unref();
    response.on('close', () => this.#remove(client));
    return client;
  }

  #remove(client: StreamClient): void {
    const holding = this.#clients.get(client);
    if (holding === undefined) return;
    this.#clients.delete(client);
    this.#options.streams.remove(holding);
    this.#blocked.delete(client);
    this.counts.open = this.#clients.size;
    if (client.filter.subjects !== null) this.#withSubjects--;
    if (client.filter.needsTransactionBodies) this.#withDeepSubjects--;
    if (client.filter.types.has('status')) this.#withStatus--;
    if (this.#clients.size > 0) return;
    clearInterval(this.#tick);
    this.#tick = undefined;
    this.#recent.clear();
    this.#options.onLast?.();
  }

  /**
   * Starts to send events to a client: all from now on and, of those since a number, the ones that are not about the
   * chain. The replay has sent the others. So what a block among them has is not told as pending after that block.
   */
  attach(client: StreamClient, since: number): void {
    const { first, next, lostEnd } = this.#recent;
    if (since < lostEnd && MEMPOOL_TYPES.some((type) => client.filter.types.has(type)))
      client.tellLoss(lostEnd - since);
    const inBlocks = this.transactionsInBlocks(since);
    for (let number = Math.max(since, first); number < next; number++) {
      const entry = this.#recent.at(number);
      if (entry.position !== null || (inBlocks.get(mempoolTransactionOf(entry.event)) ?? -1) > number) continue;
      const bytes = entry.bytesFor(client.filter);
      if (bytes !== null) client.write(bytes);
    }
    client.attach(next);
  }

  /**
   * The transactions of the blocks among the events since a number, each with the number of its last block. Those of blocks
   * that a reorganisation among the events removed are not in it.
   */
  transactionsInBlocks(since: number): ReadonlyMap<Id | null, number> {
    const { first, next } = this.#recent;
    const numbers = new Map<Id, number>();
    for (let number = Math.max(since, first); number < next; number++) {
      const { event } = this.#recent.at(number);
      if (event.type === 'reorganisation') {
        const { height } = event.reorganisation.ancestor;
        for (const [id, ofBlock] of numbers) if (this.#recent.at(ofBlock).position!.height > height) numbers.delete(id);
      }
      if (event.type !== 'block') continue;
      for (const id of JSON.parse(`[${event.block.txIds}]`) as Id[]) numbers.set(id, number);
    }
    return numbers;
  }

  /** Sends an event to all clients. */
  publish(event: StreamEvent): void {
    if (this.#clients.size === 0) return;
    const hasRoom = this.#recent.waiting < MAX_WAITING;
    if (hasRoom || !OF_MEMPOOL.has(event.type)) this.#recent.add(new EncodedEvent(event, this.#options.frames));
    else if (!this.#isLossTold) this.#recent.add(new EncodedEvent({ type: 'lost' }, this.#options.frames));
    this.#isLossTold = !hasRoom && (this.#isLossTold || OF_MEMPOOL.has(event.type));
    if (!this.#isTelling) void this.#tellAll();
  }

  /** Resolves when all clients that read have got all events. */
  async delivered(): Promise<void> {
    if (this.#isTelling) await this.#told.promise;
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    while (this.#recent.waiting > 0) {
      this.#recent.advance();
      await this.#forEach((client) => this.#deliver(client));
      if (this.#recent.waiting > 0) await this.#taken();
    }
    this.#isTelling = false;
    this.#told.resolve();
    this.#told = Promise.withResolvers();
  }

  #deliver(client: StreamClient): void {
    client.deliver(this.#recent);
    if (client.hasRoom) this.#blocked.delete(client);
    else this.#blocked.add(client);
  }

  /** Waits a short time until the clients that were fast so far have taken the events. */
  async #taken(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    const isFresh = (now: number) => [...this.#blocked].some((client) => client.blockedMs(now) < PATIENCE_MS);
    for (let now = performance.now(); now < until && isFresh(now); now = performance.now()) {
      await sleep(1);
    }
  }

  async #onTick(): Promise<void> {
    this.#options.onTick?.();
    const { keepaliveMs, silenceMs = SILENCE_MS } = this.#options;
    await this.#forEach((client, now) => {
      if (client.blockedMs(now) > silenceMs) {
        this.counts.cut++;
        client.cut();
      } else client.keepAlive(now, keepaliveMs);
    });
  }

  /**
   * Runs an action for each client. Other requests get their turn in between. Clients added meanwhile may be included,
   * removed ones are not.
   */
  async #forEach(action: (client: StreamClient, now: number) => void): Promise<void> {
    let now = performance.now();
    let until = now + SLICE_MS;
    let count = 0;
    for (const client of this.#clients.keys()) {
      action(client, now);
      if (++count % LOOK_AT_CLOCK_EVERY !== 0) continue;
      now = performance.now();
      if (now < until) continue;
      await nextTurn();
      now = performance.now();
      until = now + SLICE_MS;
    }
  }

  /** Accepts no more clients and ends the streams, spread over some seconds if they are many. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const steps = this.#clients.size <= ENDED_WITHOUT_HASTE ? 1 : MAX_END_MS / END_STEP_MS;
    const atOnce = Math.ceil(this.#clients.size / steps);
    while (this.#clients.size > 0) {
      const some = [...this.#clients.keys()].slice(0, atOnce);
      for (const client of some) {
        client.end();
        this.#remove(client);
      }
      if (this.#clients.size > 0) await sleep(END_STEP_MS);
    }
  }
}
