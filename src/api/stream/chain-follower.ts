/** Follows the chain for those who listen, and the mempool: what the API shows becomes events, in order and without gaps. */
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import type { ApiLogger } from '../operations/api-logger.ts';
import { type Activities, readBlockActivities, readPendingActivity } from './activities.ts';
import { type ChainPosition, isSamePosition } from './chain-position.ts';
import { type ChainStep, MAX_REPLAY_BLOCKS, readChainStep } from './chain-steps.ts';
import type { StreamEvent } from './encoded-event.ts';
import type { MempoolEvent, MempoolEvents, SeenTransaction } from './mempool-events.ts';
import type { StreamHub } from './stream-hub.ts';
import type { SubjectKey } from './subjects.ts';

export interface FollowerOptions {
  readonly network: Network;
  readonly store: Pick<QueryBatcher, 'query'>;
  readonly tipWatch: Pick<TipWatch, 'tip' | 'onChange' | 'lookNow' | 'noteRequest'>;
  readonly pending: MempoolEvents | null;
  readonly logger: ApiLogger;
}

/** After a failure of the database. */
const PAUSE_MS = 500;
/** A database that is behind what was told is waited for. */
const LONGEST_BEHIND_MS = 30_000;
/** How long a snapshot that is newer than the tip that was told is waited for. */
const LONGEST_UNTOLD_MS = 5_000;
/** More blocks than these are not told before clients have taken some. */
const MOST_UNTOLD = 64;
/** Transactions that were seen, for whom to tell when they are dropped. */
const MOST_REMEMBERED = 10_000;

export class ChainFollower {
  readonly #options: FollowerOptions;
  readonly #hub: StreamHub;
  /** The last block that was told; null while nobody listens. */
  #position: ChainPosition | null = null;
  #isFollowing = false;
  #isAgain = false;
  #unknownSince: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Those who wait for a change. */
  readonly #waiting = new Set<() => void>();
  #stopPending: (() => void) | undefined;
  /** What was seen pending touches these. */
  readonly #activitySubjects = new Map<Id, ReadonlySet<SubjectKey>>();

  constructor(options: FollowerOptions, hub: StreamHub) {
    this.#options = options;
    this.#hub = hub;
    options.tipWatch.onChange(() => this.#onChange());
  }

  /** The last block that was told; null before `start`. */
  get position(): ChainPosition | null {
    return this.#position;
  }

  /** Begins at the tip that the API shows. */
  start(): void {
    const { pending } = this.#options;
    this.#position = servedTip(this.#options);
    this.#stopPending = pending?.listen((event) => this.#onPending(event));
  }

  stop(): void {
    this.#position = null;
    this.#unknownSince = null;
    clearTimeout(this.#timer);
    this.#stopPending?.();
    this.#stopPending = undefined;
    this.#activitySubjects.clear();
  }

  /** Resolves when the tip changes, or the last block that was told, or after so long. */
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

  /** Resolves when the API shows the snapshot's tip, or one after it: before that nobody is told. */
  async waitUntilServed(tip: SnapshotTip): Promise<void> {
    const deadline = performance.now() + LONGEST_UNTOLD_MS;
    const { tipWatch } = this.#options;
    while ((tipWatch.tip?.revision ?? 0) < tip.revision && performance.now() < deadline) {
      tipWatch.lookNow();
      await this.waitForChange(100);
    }
  }

  /** A step as what happened, one after the other; with what blocks touch when that is asked for. Throws a StoreError. */
  async eventsOf(
    { reorganisation, blocks }: ChainStep,
    from: ChainPosition,
    withActivities: boolean,
  ): Promise<StreamEvent[]> {
    const all: StreamEvent[] = reorganisation === null ? [] : [{ type: 'reorganisation', reorganisation }];
    const activities = withActivities ? await Promise.all(blocks.map((block) => this.#activitiesOf(block))) : [];
    let parent = reorganisation?.ancestor ?? from;
    blocks.forEach((block, i) => {
      all.push({ type: 'block', block, parent, activities: activities[i] ?? null });
      parent = block;
    });
    return all;
  }

  /** What of a block that was just left, nobody needs. */
  async #activitiesOf(block: ChainPosition): Promise<Activities> {
    const { network, store } = this.#options;
    return (await readBlockActivities(network, store, block)) ?? [];
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
  async #step(from: ChainPosition): Promise<boolean> {
    const step = await readChainStep(this.#options.store, from);
    // Nobody listens any more, or others do who begin elsewhere.
    if (!isSamePosition(this.#position, from)) return this.#position !== null;
    if (step === 'at the tip') {
      this.#unknownSince = null;
      return false;
    }
    if (step === 'unknown') return this.#onUnknown(from);
    this.#unknownSince = null;
    const begin = step.reorganisation?.ancestor ?? from;
    if (step.tip.height - begin.height > MAX_REPLAY_BLOCKS) return this.#jump();
    await this.waitUntilServed(step.tip);
    const withActivities = this.#hub.hasSubjects;
    const events = await this.eventsOf(step, from, withActivities);
    // Somebody may have begun to listen meanwhile, or nobody listens any more.
    if (!isSamePosition(this.#position, from)) return this.#position !== null;
    if (this.#hub.hasSubjects && !withActivities) return true;
    for (const event of events) this.#hub.publish(event);
    this.#position = step.blocks.at(-1) ?? begin;
    this.#signal();
    if (events.length > MOST_UNTOLD / 2) await this.#hub.delivered();
    return true;
  }

  /** Another database may be behind; what it does not know in the end was lost. */
  #onUnknown({ height }: ChainPosition): boolean {
    const now = performance.now();
    const tip = servedTip(this.#options);
    this.#unknownSince ??= now;
    if (tip !== null && tip.height < height && now - this.#unknownSince < LONGEST_BEHIND_MS) {
      this.#followIn(PAUSE_MS);
      return false;
    }
    return this.#jump();
  }

  /** Goes on at the tip, and says that events were lost. */
  #jump(): boolean {
    const tip = servedTip(this.#options);
    if (tip === null) return false;
    this.#unknownSince = null;
    this.#hub.publish({ type: 'lost' });
    this.#position = tip;
    this.#signal();
    return false;
  }

  #onPending(event: MempoolEvent): void {
    switch (event.type) {
      case 'seen': {
        const { id, origin } = event.transaction;
        this.#hub.publish({ type: 'seen', id, origin });
        if (this.#hub.hasSubjects) void this.#publishActivity(event.transaction);
        return;
      }
      case 'dropped':
        this.#hub.publish({ type: 'dropped', id: event.id, subjects: this.#activitySubjects.get(event.id) ?? null });
        this.#activitySubjects.delete(event.id);
        return;
      case 'lost':
        this.#hub.publish({ type: 'lost' });
    }
  }

  async #publishActivity(transaction: SeenTransaction): Promise<void> {
    const { network, store, logger } = this.#options;
    const read = (withBodies: boolean) => readPendingActivity(network, store, transaction, withBodies);
    const activity = await read(this.#hub.needsTransactionBodies).catch((error: unknown) => {
      if (!(error instanceof StoreError)) logger.warn({ err: error }, 'A pending transaction could not be looked at.');
      return read(false);
    });
    this.#activitySubjects.set(transaction.id, activity.subjects);
    if (this.#activitySubjects.size > MOST_REMEMBERED)
      this.#activitySubjects.delete(this.#activitySubjects.keys().next().value!);
    this.#hub.publish({ type: 'activity', activity });
  }
}

/** The tip that the API shows; null while it shows none. */
export function servedTip({ network, tipWatch }: Pick<FollowerOptions, 'network' | 'tipWatch'>): ServedTip | null {
  const { tip } = tipWatch;
  return tip?.isReady && tip.genesisId === network.genesisId ? tip : null;
}
