/**
 * Sends reconnecting clients what they missed, from any block that was ever on the chain: read from the blocks, so that
 * every server of the chain can do it. Clients that need the same share one read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { ApiLogger } from '../route/context.ts';
import { LONGEST_WALK_BLOCKS, walk } from './chain-walk.ts';
import type { StreamClient } from './client.ts';
import { Entry } from './entry.ts';
import { type ChainFollower, type FollowerOptions, shownTip } from './follower.ts';
import type { Frames } from './frames.ts';
import type { StreamHub } from './hub.ts';
import { type ChainPoint, eventId, isSamePoint } from './point.ts';

export interface ReplayOptions extends Pick<FollowerOptions, 'network' | 'tipWatch'> {
  readonly store: Pick<QueryBatcher, 'query'>;
  readonly frames: Frames;
  readonly logger: ApiLogger;
}

/** A part of what a client missed. */
interface Part {
  readonly entries: readonly Entry[];
  readonly end: ChainPoint;
  /** How many blocks the tip is above the last one that the client and the chain have in common. */
  readonly blocksToTip: number;
}

/** How long to wait for a database that is behind the server that the client was connected to before. */
const LONGEST_BEHIND_MS = 10_000;
/** The same for one that may be about to change to the branch that the client knows. */
const LONGEST_OTHER_BRANCH_MS = 2_000;
const NEAR_TIP_BLOCKS = 10;
const PAUSE_MS = 500;
/** Maximum number of cached parts for clients that need the same: some 16 MB. */
const MOST_PARTS = 256;
/** Maximum size of parts that slow clients have not taken: above it no more are made. */
const MOST_UNTAKEN_BYTES = 32 * 1024 * 1024;

export class Replays {
  readonly #options: ReplayOptions;
  readonly #hub: StreamHub;
  readonly #follower: ChainFollower;
  /** By the block where they begin; of the tip that the API shows. */
  readonly #parts = new Map<string, Promise<Part | 'at the tip' | 'unknown'>>();
  #untakenBytes = 0;

  constructor(options: ReplayOptions, hub: StreamHub, follower: ChainFollower) {
    this.#options = options;
    this.#hub = hub;
    this.#follower = follower;
    options.tipWatch.onChange(() => this.#parts.clear());
  }

  /** Tells the client what came after a block, null for nothing, and then what happens from now on. Never rejects. */
  async resume(client: StreamClient, from: ChainPoint | null): Promise<void> {
    const since = this.#hub.next;
    if (from === null) return this.#join(client, since);
    try {
      if ((await this.#tellMissed(client, from, since)) || client.isClosed) return;
      const lost = new Entry({ type: 'lost' }, this.#options.frames).bytesFor(client.filter);
      if (lost !== null) client.write(lost);
      this.#join(client, since);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A stream could not be resumed; it was broken off.');
      client.cut();
    }
  }

  /** A client without an id starts at the last block that the others got. */
  #join(client: StreamClient, since: number): void {
    const { point } = this.#follower;
    if (point !== null) client.mark(point);
    this.#hub.attach(client, since);
  }

  /** Until the client is where the others are, and is one of them. False when its block leads nowhere. */
  async #tellMissed(client: StreamClient, from: ChainPoint, since: number): Promise<boolean> {
    const begun = performance.now();
    let point = from;
    for (let isFirst = true; !client.isClosed; ) {
      if (isSamePoint(point, this.#follower.point)) {
        this.#hub.counts.resumed++;
        this.#hub.attach(client, since);
        return true;
      }
      const part = await this.#part(point, client.filter.subjects !== null);
      if (part === 'unavailable' || part === 'at the tip') await this.#follower.change(PAUSE_MS);
      else if (part === 'unknown') {
        if (performance.now() - begun > this.#patienceFor(point)) return false;
        await this.#follower.change(PAUSE_MS);
      } else {
        if (isFirst && part.blocksToTip > LONGEST_WALK_BLOCKS) return false;
        isFirst = false;
        await this.#send(client, part.entries);
        point = part.end;
      }
    }
    return false;
  }

  /** How long a block may become known that is not. */
  #patienceFor({ height }: ChainPoint): number {
    const tip = shownTip(this.#options);
    if (tip === null) return LONGEST_BEHIND_MS;
    if (height > tip.height + LONGEST_WALK_BLOCKS) return 0;
    if (height > tip.height) return LONGEST_BEHIND_MS;
    return height > tip.height - NEAR_TIP_BLOCKS ? LONGEST_OTHER_BRANCH_MS : 0;
  }

  async #part(from: ChainPoint, withTouches: boolean): Promise<Part | 'at the tip' | 'unknown' | 'unavailable'> {
    if (shownTip(this.#options) === null) return 'unavailable';
    const key = `${eventId(from)} ${withTouches}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = this.#read(from, withTouches);
      this.#parts.set(key, part);
      if (this.#parts.size > MOST_PARTS) this.#parts.delete(this.#parts.keys().next().value!);
    }
    try {
      const read = await part;
      // The next time it may be known, or not be the tip.
      if (typeof read === 'string' && this.#parts.get(key) === part) this.#parts.delete(key);
      return read;
    } catch (error) {
      if (this.#parts.get(key) === part) this.#parts.delete(key);
      if (error instanceof StoreError && error.kind !== 'fault') return 'unavailable';
      throw error;
    }
  }

  async #read(from: ChainPoint, withTouches: boolean): Promise<Part | 'at the tip' | 'unknown'> {
    const step = await walk(this.#options.store, from);
    if (typeof step === 'string') return step;
    await this.#follower.shown(step.tip);
    const begin = step.reorganisation?.ancestor ?? from;
    const blocksToTip = step.tip.height - begin.height;
    const end = step.blocks.at(-1) ?? begin;
    // That much is not sent in any case.
    if (blocksToTip > LONGEST_WALK_BLOCKS) return { entries: [], end, blocksToTip };
    const happenings = await this.#follower.happenings(step, from, withTouches);
    const entries = happenings.map((happening) => new Entry(happening, this.#options.frames));
    return { entries, end, blocksToTip };
  }

  async #send(client: StreamClient, entries: readonly Entry[]): Promise<void> {
    await this.#room(client);
    let bytes = 0;
    for (const entry of entries) {
      const frame = entry.bytesFor(client.filter);
      if (frame !== null) {
        client.write(frame);
        bytes += frame.length;
      } else if (entry === entries.at(-1) && entry.point !== null) client.mark(entry.point);
    }
    this.#hub.counts.replayedEvents += entries.length;
    if (client.hasRoom) return;
    this.#untakenBytes += bytes;
    await client.room();
    this.#untakenBytes -= bytes;
  }

  /** Waits until clients have taken enough of what was sent. */
  async #room(client: StreamClient): Promise<void> {
    while (this.#untakenBytes > MOST_UNTAKEN_BYTES && !client.isClosed) await sleep(50);
  }
}
