/**
 * Follows the chain and the mempool for the stream's clients: what the API shows becomes events, in order and without
 * gaps.
 */
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import type { ApiLogger } from '../route/context.ts';
import { LONGEST_WALK_BLOCKS, type Step, walk } from './chain-walk.ts';
import type { Happening } from './entry.ts';
import type { StreamHub } from './hub.ts';
import type { PendingEvent, PendingEvents, SeenTransaction } from './pending.ts';
import { type ChainPoint, isSamePoint } from './point.ts';
import type { SubjectKey } from './subject.ts';
import { type BlockTouches, readBlockTouches, readPendingTouch } from './touches.ts';

export interface FollowerOptions {
  readonly network: Network;
  readonly store: Pick<QueryBatcher, 'query'>;
  readonly tipWatch: Pick<TipWatch, 'tip' | 'onChange' | 'pollNow' | 'noteRequest'>;
  readonly pending: PendingEvents | null;
  readonly logger: ApiLogger;
}

/** After a failure of the database. */
const PAUSE_MS = 500;
/** How long to wait for a database that is behind the events already sent. */
const LONGEST_BEHIND_MS = 30_000;
/** How long to wait until the API shows a snapshot that is newer than its tip. */
const LONGEST_UNTOLD_MS = 5_000;
/** Maximum number of blocks that are sent before clients have taken some. */
const MOST_UNTOLD = 64;
/** Pending transactions that are remembered, to know which clients to notify when they are dropped. */
const MOST_REMEMBERED = 10_000;

export class ChainFollower {
  readonly #options: FollowerOptions;
  readonly #hub: StreamHub;
  /** The last block that was sent; null while there are no clients. */
  #point: ChainPoint | null = null;
  #isFollowing = false;
  #isAgain = false;
  #unknownSince: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Those who wait for a change. */
  readonly #waiting = new Set<() => void>();
  #stopPending: (() => void) | undefined;
  /** What was seen pending touches these. */
  readonly #touched = new Map<Id, ReadonlySet<SubjectKey>>();

  constructor(options: FollowerOptions, hub: StreamHub) {
    this.#options = options;
    this.#hub = hub;
    options.tipWatch.onChange(() => this.#onChange());
  }

  /** The last block that was sent; null before `start`. */
  get point(): ChainPoint | null {
    return this.#point;
  }

  /** Begins at the tip that the API shows. */
  start(): void {
    const { pending } = this.#options;
    this.#point = shownTip(this.#options);
    this.#stopPending = pending?.listen((event) => this.#onPending(event));
  }

  stop(): void {
    this.#point = null;
    this.#unknownSince = null;
    clearTimeout(this.#timer);
    this.#stopPending?.();
    this.#stopPending = undefined;
    this.#touched.clear();
  }

  /** Resolves when the tip or the last sent block changes, or after the given time. */
  async change(withinMs: number): Promise<void> {
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

  /** Resolves when the API shows the snapshot's tip or a later one: nothing is sent before that. */
  async shown(tip: SnapshotTip): Promise<void> {
    const deadline = performance.now() + LONGEST_UNTOLD_MS;
    const { tipWatch } = this.#options;
    while ((tipWatch.tip?.revision ?? 0) < tip.revision && performance.now() < deadline) {
      tipWatch.pollNow();
      await this.change(100);
    }
  }

  /** The events of a step in order; with what blocks touch, if that is needed. Throws a StoreError. */
  async happenings({ reorganisation, blocks }: Step, from: ChainPoint, withTouches: boolean): Promise<Happening[]> {
    const all: Happening[] = reorganisation === null ? [] : [{ type: 'reorganisation', reorganisation }];
    const touches = withTouches ? await Promise.all(blocks.map((block) => this.#touchesOf(block))) : [];
    let parent = reorganisation?.ancestor ?? from;
    blocks.forEach((block, i) => {
      all.push({ type: 'block', block, parent, touches: touches[i] ?? null });
      parent = block;
    });
    return all;
  }

  /** What of a block that was just left, nobody needs. */
  async #touchesOf(block: ChainPoint): Promise<BlockTouches> {
    const { network, store } = this.#options;
    return (await readBlockTouches(network, store, block)) ?? [];
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
      while (this.#isAgain && this.#point !== null) {
        this.#isAgain = false;
        while (this.#point !== null && shownTip(this.#options) !== null && (await this.#step(this.#point)));
      }
    } catch (error) {
      const isKnown = error instanceof StoreError && error.kind !== 'fault';
      if (!isKnown) this.#options.logger.error({ err: error }, 'Events could not be read; trying again.');
      this.#followIn(PAUSE_MS);
    } finally {
      this.#isFollowing = false;
    }
  }

  #followIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#follow(), ms).unref();
  }

  /** Tells what follows the block; false when there is nothing more at present. */
  async #step(from: ChainPoint): Promise<boolean> {
    const walked = await walk(this.#options.store, from);
    // Nobody listens any more, or others do who begin elsewhere.
    if (!isSamePoint(this.#point, from)) return this.#point !== null;
    if (walked === 'at the tip') {
      this.#unknownSince = null;
      return false;
    }
    if (walked === 'unknown') return this.#onUnknown(from);
    this.#unknownSince = null;
    const begin = walked.reorganisation?.ancestor ?? from;
    if (walked.tip.height - begin.height > LONGEST_WALK_BLOCKS) return this.#jump();
    await this.shown(walked.tip);
    const withTouches = this.#hub.hasSubjects;
    const happenings = await this.happenings(walked, from, withTouches);
    // Clients may have come in the meantime, or all have left.
    if (!isSamePoint(this.#point, from)) return this.#point !== null;
    if (this.#hub.hasSubjects && !withTouches) return true;
    for (const happening of happenings) this.#hub.publish(happening);
    this.#point = walked.blocks.at(-1) ?? begin;
    this.#signal();
    if (happenings.length > MOST_UNTOLD / 2) await this.#hub.told();
    return true;
  }

  /** Another database may be behind; what it does not know in the end was lost. */
  #onUnknown({ height }: ChainPoint): boolean {
    const now = performance.now();
    const tip = shownTip(this.#options);
    this.#unknownSince ??= now;
    if (tip !== null && tip.height < height && now - this.#unknownSince < LONGEST_BEHIND_MS) {
      this.#followIn(PAUSE_MS);
      return false;
    }
    return this.#jump();
  }

  /** Goes on at the tip, and says that events were lost. */
  #jump(): boolean {
    const tip = shownTip(this.#options);
    if (tip === null) return false;
    this.#unknownSince = null;
    this.#hub.publish({ type: 'lost' });
    this.#point = tip;
    this.#signal();
    return false;
  }

  #onPending(event: PendingEvent): void {
    switch (event.type) {
      case 'seen': {
        const { id, origin } = event.transaction;
        this.#hub.publish({ type: 'seen', id, origin });
        if (this.#hub.hasSubjects) void this.#touch(event.transaction);
        return;
      }
      case 'dropped':
        this.#hub.publish({ type: 'dropped', id: event.id, subjects: this.#touched.get(event.id) ?? null });
        this.#touched.delete(event.id);
        return;
      case 'lost':
        this.#hub.publish({ type: 'lost' });
    }
  }

  async #touch(transaction: SeenTransaction): Promise<void> {
    const { network, store, logger } = this.#options;
    const read = (isDeep: boolean) => readPendingTouch(network, store, transaction, isDeep);
    const touch = await read(this.#hub.hasDeepSubjects).catch((error: unknown) => {
      if (!(error instanceof StoreError)) logger.warn({ err: error }, 'A pending transaction could not be looked at.');
      return read(false);
    });
    this.#touched.set(transaction.id, touch.subjects);
    if (this.#touched.size > MOST_REMEMBERED) this.#touched.delete(this.#touched.keys().next().value!);
    this.#hub.publish({ type: 'touched', touch });
  }
}

/** The tip that the API shows; null while it shows none. */
export function shownTip({ network, tipWatch }: Pick<FollowerOptions, 'network' | 'tipWatch'>): ServedTip | null {
  const { tip } = tipWatch;
  return tip?.isReady && tip.genesisId === network.genesisId ? tip : null;
}
