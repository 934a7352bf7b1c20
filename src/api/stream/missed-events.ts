/**
 * Replays what clients missed while they were away, from any block that was once on the chain. It is read from the stored
 * blocks, so any server of the chain can do it. Clients that missed the same share one read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryDispatcher } from '../../store/read/query-dispatcher.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { ApiLogger } from '../logging/logger-interface.ts';
import { type ChainFollower, type FollowerOptions, servedTip } from './chain-follower.ts';
import { type ChainPosition, eventId, isSamePosition } from './chain-position.ts';
import { MAX_REPLAY_BLOCKS, readChainStep } from './chain-steps.ts';
import { EncodedEvent } from './encoded-event.ts';
import type { EventFrames } from './event-frames.ts';
import type { StreamClient } from './stream-client.ts';
import type { StreamHub } from './stream-hub.ts';

interface MissedEventsOptions extends Pick<FollowerOptions, 'network' | 'tipWatch'> {
  readonly store: Pick<QueryDispatcher, 'query'>;
  readonly frames: EventFrames;
  readonly logger: ApiLogger;
}

/** A part of what a client missed. */
interface Part {
  readonly entries: readonly EncodedEvent[];
  readonly end: ChainPosition;
  /** How many blocks the tip is above the last one that the client and the chain have in common. */
  readonly blocksToTip: number;
}

/** How long a database may take to catch up with the one that the client's last event came from. */
const LONGEST_BEHIND_MS = 10_000;
/** The same where the database may be about to change to the branch that the client knows. */
const LONGEST_OTHER_BRANCH_MS = 2_000;
const NEAR_TIP_BLOCKS = 10;
const PAUSE_MS = 500;
/** Maximum number of parts that are kept for other clients: some 16 MB. */
const MOST_PARTS = 256;
/** Maximum size of parts that slow clients have not taken; until they do, replays of others wait. */
const MOST_UNTAKEN_BYTES = 32 * 1024 * 1024;

export class MissedEvents {
  readonly #options: MissedEventsOptions;
  readonly #hub: StreamHub;
  readonly #follower: ChainFollower;
  /** By the block where they begin; of the tip that the API serves. */
  readonly #parts = new Map<string, Promise<Part | 'at the tip' | 'unknown'>>();
  #untakenBytes = 0;

  constructor(options: MissedEventsOptions, hub: StreamHub, follower: ChainFollower) {
    this.#options = options;
    this.#hub = hub;
    this.#follower = follower;
    options.tipWatch.onChange(() => this.#parts.clear());
  }

  /** Sends the client what came after a block (null: nothing), and then all new events. Never rejects. */
  async resume(client: StreamClient, from: ChainPosition | null): Promise<void> {
    const since = this.#hub.next;
    if (from === null) return this.#join(client, since);
    try {
      if ((await this.#tellMissed(client, from, since)) || client.isClosed) return;
      const lost = new EncodedEvent({ type: 'lost' }, this.#options.frames).bytesFor(client.filter);
      if (lost !== null) client.write(lost);
      this.#join(client, since);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A stream could not be resumed; it was broken off.');
      client.cut();
    }
  }

  /** A client without a past begins at the last published block. */
  #join(client: StreamClient, since: number): void {
    const { position } = this.#follower;
    if (position !== null) client.sendPosition(position);
    this.#hub.attach(client, since);
  }

  /** Replays until the client is up to date and attached to the hub. False when its block is unknown. */
  async #tellMissed(client: StreamClient, from: ChainPosition, since: number): Promise<boolean> {
    const begun = performance.now();
    let point = from;
    for (let isFirst = true; !client.isClosed; ) {
      if (isSamePosition(point, this.#follower.position)) {
        this.#hub.counts.resumed++;
        this.#hub.attach(client, since);
        return true;
      }
      const part = await this.#part(point, client.filter.subjects !== null);
      if (part === 'unavailable' || part === 'at the tip') await this.#follower.waitForChange(PAUSE_MS);
      else if (part === 'unknown') {
        if (performance.now() - begun > this.#patienceFor(point)) return false;
        await this.#follower.waitForChange(PAUSE_MS);
      } else {
        if (isFirst && part.blocksToTip > MAX_REPLAY_BLOCKS) return false;
        isFirst = false;
        await this.#send(client, part.entries);
        point = part.end;
      }
    }
    return false;
  }

  /** How long to wait for an unknown block to become known. */
  #patienceFor({ height }: ChainPosition): number {
    const tip = servedTip(this.#options);
    if (tip === null) return LONGEST_BEHIND_MS;
    if (height > tip.height + MAX_REPLAY_BLOCKS) return 0;
    if (height > tip.height) return LONGEST_BEHIND_MS;
    return height > tip.height - NEAR_TIP_BLOCKS ? LONGEST_OTHER_BRANCH_MS : 0;
  }

  async #part(from: ChainPosition, withActivities: boolean): Promise<Part | 'at the tip' | 'unknown' | 'unavailable'> {
    if (servedTip(this.#options) === null) return 'unavailable';
    const key = `${eventId(from)} ${withActivities}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = this.#read(from, withActivities);
      this.#parts.set(key, part);
      if (this.#parts.size > MOST_PARTS) this.#parts.delete(this.#parts.keys().next().value!);
    }
    try {
      const read = await part;
      // It is not cached: next time the block may be known, or may not be the tip.
      if (typeof read === 'string' && this.#parts.get(key) === part) this.#parts.delete(key);
      return read;
    } catch (error) {
      if (this.#parts.get(key) === part) this.#parts.delete(key);
      if (error instanceof StoreError && error.kind !== 'fault') return 'unavailable';
      throw error;
    }
  }

  async #read(from: ChainPosition, withActivities: boolean): Promise<Part | 'at the tip' | 'unknown'> {
    const step = await readChainStep(this.#options.store, from);
    if (typeof step === 'string') return step;
    await this.#follower.waitUntilServed(step.tip);
    const begin = step.reorganisation?.ancestor ?? from;
    const blocksToTip = step.tip.height - begin.height;
    const end = step.blocks.at(-1) ?? begin;
    // More than is replayed anyway.
    if (blocksToTip > MAX_REPLAY_BLOCKS) return { entries: [], end, blocksToTip };
    const events = await this.#follower.eventsOf(step, from, withActivities);
    const entries = events.map((event) => new EncodedEvent(event, this.#options.frames));
    return { entries, end, blocksToTip };
  }

  async #send(client: StreamClient, entries: readonly EncodedEvent[]): Promise<void> {
    await this.#room(client);
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
    this.#untakenBytes += bytes;
    await client.waitForRoom();
    this.#untakenBytes -= bytes;
  }

  /** Waits until clients have taken enough of what was sent. */
  async #room(client: StreamClient): Promise<void> {
    while (this.#untakenBytes > MOST_UNTAKEN_BYTES && !client.isClosed) await sleep(50);
  }
}
