/**
 * Follows the chain and the mempool while there are clients, and publishes their changes as events, in order and
 * without gaps.
 */

import { setImmediate } from 'node:timers/promises';
import type { Network } from '../../chain/networks/network.ts';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import type { ApiLogger } from '../../serving/logging/throttled-log.ts';
import { type ChainStep, isSamePosition, readChainStep } from '../../store/queries/blocks/blocks-since.ts';
import type { ChainPosition, QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import {
  type MempoolStreamEvent,
  type MempoolStreamEvents,
  mempoolTransactionOf,
  type StreamEvent,
  type TouchedSubjects,
} from './stream-event.ts';
import type { StreamHub } from './stream-hub.ts';
import { readBlockActivities, readPendingSubjects } from './touched-subjects.ts';

export interface EventPublisherOptions {
  readonly network: Network;
  readonly store: QueryRunner;
  readonly tipWatch: Pick<TipWatch, 'tip' | 'onChange' | 'pollNow' | 'noteRequest'>;
  readonly pending: MempoolStreamEvents | null;
  readonly logger: ApiLogger;
}

/** The most blocks that are replayed, as many as a reorganisation can remove. Clients that missed more are sent to the tip. */
export const MAX_MISSED_BLOCKS = MAX_REORGANISATION_DEPTH;
/** The pause after a failure of the database. */
const PAUSE_MS = 500;
/** The time for a database that is behind the last event to catch up. */
const MAX_BEHIND_MS = 30_000;
/** The longest wait until the API serves the tip of a snapshot that was read. */
const MAX_UNSERVED_MS = 5_000;
/** The longest time for which events of the mempool wait until those of the chain are published. */
const MAX_HELD_MS = 5_000;
/** The most transactions whose subjects are read before others get their turn. */
const READ_AT_ONCE = 200;
/** After a step with more events than this, the next step waits until the clients have got all events. */
const MAX_EVENTS_WITHOUT_WAIT = 32;

interface WaitingEvent {
  readonly event: MempoolStreamEvent;
  /** The number of the next event of the hub when it came. */
  readonly since: number;
  readonly cameAt: number;
}

export class EventPublisher {
  readonly #options: EventPublisherOptions;
  readonly #hub: StreamHub;
  /** The last published block; null while there are no clients. */
  #position: ChainPosition | null = null;
  #isFollowing = false;
  #isAgain = false;
  #unknownSince: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The callers of `waitForChange`. */
  readonly #waiting = new Set<() => void>();
  #stopPending: (() => void) | undefined;
  /** The events of the mempool that are not published yet, in their order. */
  #mempoolEvents: WaitingEvent[] = [];
  #isPublishingMempool = false;

  constructor(options: EventPublisherOptions, hub: StreamHub) {
    this.#options = options;
    this.#hub = hub;
    options.tipWatch.onChange(() => this.#onChange());
  }

  /** The last published block; null before `start`. */
  get position(): ChainPosition | null {
    return this.#position;
  }

  /** Starts at the tip that the API serves. */
  start(): void {
    const { pending } = this.#options;
    this.#position = servedTip(this.#options);
    this.#stopPending = pending?.listen((event) => this.#onMempoolEvent(event));
  }

  stop(): void {
    this.#position = null;
    this.#unknownSince = null;
    clearTimeout(this.#timer);
    this.#stopPending?.();
    this.#stopPending = undefined;
    this.#mempoolEvents = [];
  }

  /** Resolves when the tip or the last published block changes, or after `withinMs`. */
  async waitForChange(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, withinMs);
      this.#waiting.add(end);
    });
  }

  /** Resolves when the API serves the snapshot's tip or a later one: events never run ahead of it. */
  async waitUntilServed(tip: SnapshotTip): Promise<void> {
    const deadline = performance.now() + MAX_UNSERVED_MS;
    const { tipWatch } = this.#options;
    while ((tipWatch.tip?.revision ?? 0) < tip.revision && performance.now() < deadline) {
      tipWatch.pollNow();
      await this.waitForChange(100);
    }
  }

  /** Returns the events of a step in their order, with the activities of its blocks if wanted. Throws a StoreError. */
  async eventsOf(
    { reorganisation, blocks }: ChainStep,
    from: ChainPosition,
    withActivities: boolean,
  ): Promise<StreamEvent[]> {
    const all: StreamEvent[] = reorganisation === null ? [] : [{ type: 'reorganisation', reorganisation }];
    const { network, store } = this.#options;
    const activities = withActivities ? await readBlockActivities(network, store, blocks) : [];
    let parent = reorganisation?.ancestor ?? from;
    blocks.forEach((block, i) => {
      all.push({ type: 'block', block, parent, activities: activities[i] ?? null });
      parent = block;
    });
    return all;
  }

  #onChange(): void {
    this.#signal();
    void this.#follow();
  }

  #signal(): void {
    for (const end of [...this.#waiting]) end();
  }

  async #follow(): Promise<void> {
    this.#isAgain = true;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      while (this.#isAgain && this.#position !== null) {
        this.#isAgain = false;
        while (this.#position !== null && servedTip(this.#options) !== null && (await this.#step(this.#position)));
      }
    } catch (error) {
      const isKnown = error instanceof StoreError && error.kind !== 'fault';
      if (!isKnown) this.#options.logger.error({ err: error }, 'Events could not be read; trying again.');
      this.#followLater();
    } finally {
      this.#isFollowing = false;
      this.#signal();
    }
  }

  #followLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#follow(), PAUSE_MS).unref();
  }

  /** Publishes the blocks after a position. Returns false if there are none at present. */
  async #step(from: ChainPosition): Promise<boolean> {
    const step = await readChainStep(this.#options.store, from);
    // The clients have gone, or new ones have come, which begin at another block.
    if (!isSamePosition(this.#position, from)) return this.#position !== null;
    if (step === null) return this.#onUnknown(from);
    this.#unknownSince = null;
    if (isSamePosition(step.tip, from)) return false;
    const begin = step.reorganisation?.ancestor ?? from;
    if (step.tip.height - begin.height > MAX_MISSED_BLOCKS) return this.#jump();
    await this.waitUntilServed(step.tip);
    const withActivities = this.#hub.hasSubjects;
    const events = await this.eventsOf(step, from, withActivities);
    // The clients may have gone, or new ones have come, during the read.
    if (!isSamePosition(this.#position, from)) return this.#position !== null;
    if (this.#hub.hasSubjects && !withActivities) return true;
    for (const event of events) this.#hub.publish(event);
    this.#position = step.blocks.at(-1) ?? begin;
    this.#signal();
    if (events.length > MAX_EVENTS_WITHOUT_WAIT) await this.#hub.delivered();
    return true;
  }

  /**
   * Handles a position that the database does not know. A replica may be behind; after some time the position counts as
   * lost.
   */
  #onUnknown({ height }: ChainPosition): boolean {
    const now = performance.now();
    const tip = servedTip(this.#options);
    this.#unknownSince ??= now;
    if (tip !== null && tip.height < height && now - this.#unknownSince < MAX_BEHIND_MS) {
      this.#followLater();
      return false;
    }
    return this.#jump();
  }

  /** Jumps to the tip, with an event that says that others were lost. */
  #jump(): boolean {
    const tip = servedTip(this.#options);
    if (tip === null) return false;
    this.#unknownSince = null;
    this.#hub.publish({ type: 'lost' });
    this.#position = tip;
    this.#signal();
    return false;
  }

  #onMempoolEvent(event: MempoolStreamEvent): void {
    this.#mempoolEvents.push({ event, since: this.#hub.next, cameAt: performance.now() });
    if (!this.#isPublishingMempool) void this.#publishMempool();
  }

  /**
   * Publishes the events of the mempool in their order, however long it takes to read what they touch. They come after the
   * reorganisation that caused them, and what a block has meanwhile is not told.
   */
  async #publishMempool(): Promise<void> {
    this.#isPublishingMempool = true;
    while (this.#mempoolEvents.length > 0) {
      const all = this.#mempoolEvents;
      const leftMs = all[0]!.cameAt + MAX_HELD_MS - performance.now();
      if (this.#isFollowing && leftMs > 0) {
        await this.waitForChange(leftMs);
        continue;
      }
      const some = all.slice(0, READ_AT_ONCE);
      const activities = await Promise.all(some.map(({ event }) => this.#readActivity(event)));
      // Otherwise the clients have gone.
      if (this.#mempoolEvents !== all) continue;
      all.splice(0, some.length);
      const inBlocks = this.#hub.transactionsInBlocks(some[0]!.since);
      some.forEach(({ event, since }, i) => {
        for (const each of publishedEvents(event, activities[i]!)) {
          if ((inBlocks.get(mempoolTransactionOf(each)) ?? -1) < since) this.#hub.publish(each);
        }
      });
      // Others get their turn before more are read.
      if (all.length > 0) await setImmediate();
    }
    this.#isPublishingMempool = false;
  }

  /**
   * Reads what a transaction touches; without the database, its addresses and tokens. Null if nobody asks for it, or if the
   * transaction is not known. Never rejects.
   */
  async #readActivity(event: MempoolStreamEvent): Promise<TouchedSubjects | null> {
    if (event.type === 'lost' || event.transaction === null || !this.#hub.hasSubjects) return null;
    const { transaction } = event;
    const { network, store, logger } = this.#options;
    const read = (withBodies: boolean) => readPendingSubjects(network, store, transaction, withBodies);
    return await read(this.#hub.needsTransactionBodies).catch((error: unknown) => {
      if (!(error instanceof StoreError)) logger.warn({ err: error }, 'A pending transaction could not be read.');
      return read(false);
    });
  }
}

function publishedEvents(event: MempoolStreamEvent, activity: TouchedSubjects | null): StreamEvent[] {
  switch (event.type) {
    case 'seen': {
      const { id, origin } = event.transaction;
      const seen = { type: 'seen', id, origin, sequence: event.sequence } as const;
      return [seen, ...(activity === null ? [] : [{ type: 'activity', activity } as const])];
    }
    case 'dropped':
      return [{ type: 'dropped', id: event.id, subjects: activity?.subjects ?? null, sequence: event.sequence }];
    case 'lost':
      return [{ type: 'lost' }];
  }
}

/** Returns the tip that the API serves; null if it serves none. */
export function servedTip({
  network,
  tipWatch,
}: Pick<EventPublisherOptions, 'network' | 'tipWatch'>): ServedTip | null {
  const { tip } = tipWatch;
  return tip?.isReady && tip.genesisId === network.genesisId ? tip : null;
}
