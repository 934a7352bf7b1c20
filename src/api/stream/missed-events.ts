/**
 * Replays the events that clients missed, from any block that was ever on the chain. They are read from the stored
 * blocks, so any server of the chain can do it. Clients that missed the same events share one read.
 */

import { setImmediate } from 'node:timers/promises';
import { chainPositionText } from '../../serving/http/headers.ts';
import { ClientGone } from '../../serving/resources/caller.ts';
import type { Holding, Holdings } from '../../serving/resources/reclaimable-holdings.ts';
import { ResourceRefusal } from '../../serving/resources/shared-resources.ts';
import type { Slots } from '../../serving/resources/slots.ts';
import { isSamePosition, readChainStep } from '../../store/queries/blocks/blocks-since.ts';
import type { ChainPosition, SnapshotTip } from '../../store/read/query.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { EventFrames } from './event-frames.ts';
import { type EventPublisher, type EventPublisherOptions, MAX_MISSED_BLOCKS, servedTip } from './event-publisher.ts';
import type { StreamClient } from './stream-client.ts';
import { EncodedEvent } from './stream-event.ts';
import type { StreamHub } from './stream-hub.ts';

export interface MissedEventsOptions extends Pick<EventPublisherOptions, 'network' | 'tipWatch' | 'store' | 'logger'> {
  readonly frames: EventFrames;
  /** The slots for each part: held while it is read, and until others had their turn. */
  readonly replays: Slots;
  /** The unsent bytes of replays. */
  readonly unsent: Holdings;
}

/** A part of the events that a client missed. */
interface Part {
  readonly entries: readonly EncodedEvent[];
  /** The approximate size of the part in memory, and as it is sent. */
  readonly bytes: number;
  readonly end: ChainPosition;
  /** The tip of the snapshot from which it was read. */
  readonly tip: SnapshotTip;
}

/** The reason why there is no part. */
type NoPart = 'at the tip' | 'unknown' | 'unavailable' | 'too far from the tip';

/** The time for a database to catch up with the one that the client's last event came from. */
const MAX_BEHIND_MS = 10_000;
/** The same time, if the database may be about to change to the client's branch. */
const MAX_OTHER_BRANCH_MS = 2_000;
const NEAR_TIP_BLOCKS = 10;
const PAUSE_MS = 500;
/** The maximum size of the parts that are kept for other clients. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export class MissedEvents {
  readonly #options: MissedEventsOptions;
  readonly #hub: StreamHub;
  readonly #follower: EventPublisher;
  /** Parts of the served tip by the block where they begin, oldest first. */
  readonly #parts = new Map<string, Part>();
  #keptBytes = 0;

  constructor(options: MissedEventsOptions, hub: StreamHub, follower: EventPublisher) {
    this.#options = options;
    this.#hub = hub;
    this.#follower = follower;
    options.tipWatch.onChange(() => {
      this.#parts.clear();
      this.#keptBytes = 0;
    });
  }

  /** Sends the client the events after a block (null: none), and then all new events. Never rejects. */
  async resume(client: StreamClient, from: ChainPosition | null): Promise<void> {
    const since = this.#hub.next;
    if (from === null) return this.#join(client, since);
    try {
      if ((await this.#tellMissed(client, from, since)) || client.isClosed) return;
      const lost = new EncodedEvent({ type: 'lost' }, this.#options.frames).bytesFor(client.filter);
      if (lost !== null) client.write(lost);
      this.#join(client, since);
    } catch (error) {
      // The client reconnects with its last id.
      client.cut();
      if (error instanceof ResourceRefusal || error instanceof ClientGone) return;
      this.#options.logger.error({ err: error }, 'A stream could not be resumed; it was broken off.');
    }
  }

  /** Attaches a client without a past at the last published block. */
  #join(client: StreamClient, since: number): void {
    const { position } = this.#follower;
    if (position !== null) client.sendPosition(position);
    this.#hub.attach(client, since);
  }

  /**
   * Replays until the client is up to date and attached to the hub. Returns false if its block is unknown, or too far
   * from the tip.
   */
  async #tellMissed(client: StreamClient, from: ChainPosition, since: number): Promise<boolean> {
    const begun = performance.now();
    let point = from;
    while (!client.isClosed) {
      if (isSamePosition(point, this.#follower.position)) {
        this.#hub.counts.resumed++;
        this.#hub.attach(client, since);
        return true;
      }
      const part = await this.#part(client, point);
      if (part === 'too far from the tip') return false;
      if (part === 'unknown' && performance.now() - begun > this.#patienceFor(point)) return false;
      if (typeof part === 'string') {
        await this.#follower.waitForChange(PAUSE_MS);
        continue;
      }
      await this.#follower.waitUntilServed(part.tip);
      await this.#send(client, part.entries);
      point = part.end;
    }
    return false;
  }

  /** Returns how long to wait for an unknown block to become known. */
  #patienceFor({ height }: ChainPosition): number {
    const tip = servedTip(this.#options);
    if (tip === null) return MAX_BEHIND_MS;
    if (height > tip.height + MAX_MISSED_BLOCKS) return 0;
    if (height > tip.height) return MAX_BEHIND_MS;
    return height > tip.height - NEAR_TIP_BLOCKS ? MAX_OTHER_BRANCH_MS : 0;
  }

  /** Returns the part that begins at a block, at the client's turn. */
  async #part(client: StreamClient, from: ChainPosition): Promise<Part | NoPart> {
    if (servedTip(this.#options) === null) return 'unavailable';
    const withActivities = client.filter.subjects !== null;
    const key = `${chainPositionText(from)} ${withActivities}`;
    return this.#options.replays.run(client.caller, 1, async () => {
      // Known parts are also sent one after the other: other requests get their turn in between.
      await setImmediate();
      const known = this.#parts.get(key);
      if (known !== undefined) return known;
      try {
        const part = await this.#read(from, withActivities);
        if (typeof part !== 'string') this.#keep(key, part);
        return part;
      } catch (error) {
        if (error instanceof StoreError && error.kind !== 'fault') return 'unavailable';
        throw error;
      }
    });
  }

  #keep(key: string, part: Part): void {
    if (this.#parts.has(key)) return;
    this.#parts.set(key, part);
    this.#keptBytes += part.bytes;
    for (const [oldest, { bytes }] of this.#parts) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) return;
      this.#parts.delete(oldest);
      this.#keptBytes -= bytes;
    }
  }

  async #read(from: ChainPosition, withActivities: boolean): Promise<Part | NoPart> {
    const step = await readChainStep(this.#options.store, from);
    if (step === null) return 'unknown';
    const { tip } = step;
    if (isSamePosition(tip, from)) return 'at the tip';
    const begin = step.reorganisation?.ancestor ?? from;
    if (tip.height - begin.height > MAX_MISSED_BLOCKS) return 'too far from the tip';
    const events = await this.#follower.eventsOf(step, from, withActivities);
    const entries = events.map((event) => new EncodedEvent(event, this.#options.frames));
    const bytes = entries.reduce((sum, entry) => sum + 2 * entry.bytes, 0);
    return { entries, bytes, end: step.blocks.at(-1) ?? begin, tip };
  }

  async #send(client: StreamClient, entries: readonly EncodedEvent[]): Promise<void> {
    let bytes = 0;
    for (const entry of entries) {
      const frame = entry.bytesFor(client.filter);
      if (frame !== null) {
        client.write(frame);
        bytes += frame.length;
      } else if (entry === entries.at(-1) && entry.position !== null) client.sendPosition(entry.position);
    }
    this.#hub.counts.replayedEvents += entries.length;
    if (client.hasRoom) return;
    const untaken: Holding = { client: client.caller.client, amount: bytes, takeBack: () => client.cut() };
    this.#options.unsent.add(untaken);
    await client.waitForRoom();
    this.#options.unsent.remove(untaken);
  }
}
