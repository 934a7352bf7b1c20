/**
 * A copy of the mempool of one node. Events tell what comes; a full list completes it at the start, after every
 * reconnection, after new tips and now and then, because a transaction that leaves has no event. One task sends
 * requests to the node, one at a time.
 */
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import type { MempoolEvent } from '../node/answers.ts';
import type { NodeLogger } from '../node/logger.ts';
import { pauseAfter } from '../node/retry.ts';
import type { MempoolChange, MirrorState } from './changes.ts';
import { Decoder } from './decoder.ts';
import { IdsToRequest } from './ids-to-request.ts';
import type { ConfirmedIndex, IndexMove } from './index-lookup.ts';
import { type Candidate, Intake } from './intake.ts';
import { NodeLookupLimit } from './node-lookup-limit.ts';
import { PendingDecider } from './pending-decider.ts';
import { type Found, PendingPool } from './pool.ts';
import type { MempoolSource } from './source.ts';

export interface MirrorOptions {
  readonly network: Network;
  readonly source: MempoolSource;
  readonly index: ConfirmedIndex;
  readonly logger: NodeLogger;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** How often the mempool is listed when nothing asks for it sooner (default 30,000). */
  readonly listEveryMs?: number;
  /** Between two lists at least (default 500); ten times as long as the last one took, if that is more. */
  readonly listPauseMs?: number;
  /** How often a list is tried that was too long for the node (default 60,000). */
  readonly longListPauseMs?: number;
  /** What is kept of encoded transactions at most (default 8 MiB); a list that the node tells is never more. */
  readonly mostBytes?: number;
  /** Default 30,000; each takes some 6 kB of memory. */
  readonly mostTransactions?: number;
}

/** As the pool finds it; or the node cannot be asked, and it may be pending or not. */
export type Answer = Found | { readonly state: 'Unavailable' };

const ASKED_AT_ONCE = 32;
/** If the node's list is too long, this many ids are checked one by one in place of each list. */
const CHECKED_AT_ONCE = 200;
/** The pause between lists while there are no events, and before a failed read of the index is repeated. */
const POLL_MS = 1_000;
const PAUSES = { firstMs: 250, longestMs: 5_000 };
const LONGEST_CALL_MS = 60_000;
const LONGEST_LOOKUP_MS = 2_000;
/** Ids that arrived while a list was being read. */
const MOST_HEARD = 20_000;

export class MempoolMirror {
  /** What is pending now. Changes by the mirror only. */
  readonly pool: PendingPool;
  readonly #options: Required<Omit<MirrorOptions, 'network' | 'index'>>;
  readonly #decider: PendingDecider;
  readonly #intake: Intake;
  readonly #decoder: Decoder;
  readonly #lookupLimit: NodeLookupLimit;
  readonly #queue = new IdsToRequest();
  readonly #listeners = new Set<(change: MempoolChange) => void>();
  readonly #closing = new AbortController();
  readonly #events: { close(): Promise<void> };
  readonly #working: Promise<void>;
  #state: MirrorState = { isComplete: true, staleSince: 0 };
  #isSubscribed = false;
  #hasListed = false;
  #isListTooLong = false;
  /** When a list is wanted, and how soon there may be one. */
  #listAt = 0;
  #listNotBefore = 0;
  #listedAt = 0;
  /** After a failure. */
  #restUntil = 0;
  #failures = 0;
  /** Ids that the node reported as present since the request (for a list, or for one of them) was sent. */
  readonly #heard = new Set<Id>();
  #nodeHeight = 0;
  /** Where the checks of those that cannot be listed have come to. */
  #checked: Id | undefined;
  #wake = () => {};

  constructor(options: MirrorOptions) {
    const { network, index, source, logger, now = Date.now, ...rest } = options;
    this.#options = {
      source,
      logger,
      now,
      listEveryMs: rest.listEveryMs ?? 30_000,
      listPauseMs: rest.listPauseMs ?? 500,
      longListPauseMs: rest.longListPauseMs ?? 60_000,
      mostBytes: rest.mostBytes ?? 8 * 1024 * 1024,
      mostTransactions: rest.mostTransactions ?? 30_000,
    };
    const pool = new PendingPool(network);
    const emit = (change: MempoolChange) => this.#emit(change);
    this.pool = pool;
    this.#decider = new PendingDecider(pool, this.#options, emit);
    this.#intake = new Intake({ network, index, logger, now, pool, decider: this.#decider, emit });
    this.#decoder = new Decoder(logger);
    this.#lookupLimit = new NodeLookupLimit(now);
    this.#events = source.listen({
      subscribed: () => this.#onSubscribed(),
      event: (event) => this.#onEvent(event),
      ended: (reason) => this.#onEnded(reason),
    });
    this.#working = this.#work();
  }

  /** Calls `listener` after each change, until the function that it gives is called. It must not throw. */
  listen(listener: (change: MempoolChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports that the index has another tip: when clients can see it, and before they are notified of it. */
  indexMoved(move: IndexMove): void {
    const left = this.#decider.indexMoved(move, this.#options.now());
    for (const id of left) this.#enqueue(id, { origin: 'local', wasThere: true });
    // For its order, and for what the new branch does not leave valid.
    if (left.length > 0) this.#listBy(0);
    this.#intake.retryLater();
    this.#wake();
  }

  /**
   * Where a transaction is that the index does not have. One that is not known is asked of the node, the same one at
   * most once a second, all of them together at most 20 times a second.
   */
  async find(id: Id): Promise<Answer> {
    const { now } = this.#options;
    const known = this.pool.find(id, now());
    if (known?.state === 'Pending' || known?.state === 'Confirmed') return known;
    if (!this.pool.isAvailable(now())) return known ?? { state: 'Unavailable' };
    let found: Answer;
    await this.#lookupLimit.ask(id, async () => {
      found = await this.#lookUp(id);
    });
    return this.pool.find(id, now()) ?? found;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await Promise.all([this.#events.close(), this.#working]);
  }

  /** Asks for one and takes it in; one that had to make room before is only given. Never rejects. */
  async #lookUp(id: Id): Promise<Answer> {
    const { source, logger } = this.#options;
    try {
      const waiting = await source.transaction(id, this.#signal(LONGEST_LOOKUP_MS));
      const decoded = waiting?.pool === 'mempool' ? this.#decoder.one(waiting.bytes, id) : undefined;
      if (decoded === undefined) return undefined;
      const candidate: Candidate = { ...decoded, origin: this.#queue.get(id)?.origin ?? 'remote' };
      if (this.#decider.isForgotten(id)) return { state: 'Pending', transaction: await this.#intake.look(candidate) };
      await this.#intake.take([candidate], true);
    } catch (error) {
      logger.debug({ id, error: String(error) }, 'the node could not be asked for a transaction');
    }
    return undefined;
  }

  #onSubscribed(): void {
    this.#isSubscribed = true;
    this.#listNotBefore = 0;
    this.#restUntil = 0;
    this.#listBy(0);
  }

  #onEnded(reason: string): void {
    const { logger, now } = this.#options;
    logger.warn({ reason }, 'the events of the mempool ended, listing it until they are back');
    this.#isSubscribed = false;
    this.#stale();
    this.#listBy(now() + POLL_MS);
  }

  #onEvent(event: MempoolEvent): void {
    switch (event.type) {
      case 'NewTip': {
        // What comes back from a block, and what a block makes invalid, has no event.
        const isNext = event.tip.height === this.#nodeHeight + 1;
        this.#nodeHeight = event.tip.height;
        if (!isNext && !this.#isListTooLong) {
          this.#listNotBefore = Math.min(this.#listNotBefore, this.#listedAt + this.#options.listPauseMs);
        }
        return this.#listBy(0);
      }
      case 'TransactionProcessed':
        if (!event.accepted) return;
        if (this.#heard.size < MOST_HEARD) this.#heard.add(event.id);
        this.#decider.present(event.id);
        if (this.pool.has(event.id)) return;
        this.#enqueue(event.id, { origin: event.origin, wasThere: false });
        return this.#wake();
    }
  }

  #enqueue(id: Id, queued: Parameters<IdsToRequest['add']>[1]): void {
    this.#queue.add(id, queued);
    if (this.#queue.isLong) this.#listBy(0);
  }

  /** Lists at that time at the latest, as far as the pauses between lists allow it. */
  #listBy(at: number): void {
    this.#listAt = Math.min(this.#listAt, at);
    this.#wake();
  }

  async #work(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const now = this.#options.now();
      const listAt = Math.max(this.#listAt, this.#listNotBefore);
      const due = this.#decider.due();
      try {
        if (now < this.#restUntil) await this.#sleep(this.#restUntil - now);
        else if (now >= listAt) await this.#list();
        else if (this.#queue.size > 0) await this.#askForQueued();
        else if (this.#intake.isRetryDue) await this.#intake.retry();
        else if (due.length === 0) await this.#sleep(listAt - now);
        else if (!(await this.#intake.settle(due))) this.#restUntil = now + POLL_MS;
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#fail(error);
      }
    }
  }

  /** Asks for all, and makes the pool equal to it. */
  async #list(): Promise<void> {
    const { source, now, listEveryMs, listPauseMs, longListPauseMs, logger } = this.#options;
    const before = [...this.pool.transactions()].map(({ id }) => id);
    const queued = this.#queue.all();
    const begun = now();
    const wasSubscribed = this.#isSubscribed;
    this.#heard.clear();
    // A wish for a list that comes from here on is one for the next.
    this.#listAt = Number.POSITIVE_INFINITY;
    const list = await source.transactions(this.#signal(LONGEST_CALL_MS));
    if (list === 'too large') {
      if (!this.#isListTooLong)
        logger.warn({}, 'the mempool is larger than the node tells: what is pending is known from its events only');
      this.#isListTooLong = true;
      this.#checkSome();
      this.#listNotBefore = now() + longListPauseMs;
      this.#listBy(this.#listNotBefore);
      return this.#followed(wasSubscribed);
    }
    const tip = await source.tip(this.#signal(LONGEST_CALL_MS));
    const listed = await this.#decoder.all(list);
    const isNews = (id: Id) => !this.pool.has(id) && !this.#decider.isForgotten(id) && !this.#decider.isConfirmed(id);
    const news = [...listed.values()].filter(({ id }) => isNews(id));
    // Transactions that the mirror finds at its start may be known to clients already: no event is sent for them.
    const candidates = news.map((each) => ({ ...each, origin: queued.get(each.id)?.origin ?? 'remote' }));
    await this.#intake.take(candidates, this.#hasListed);
    for (const [id, { wasThere }] of queued) {
      this.#queue.delete(id);
      if (wasThere && !listed.has(id) && !this.#heard.has(id)) this.#decider.missing(id, tip);
    }
    const judged = before.filter((id) => !this.#heard.has(id));
    this.#decider.listed(listed, judged, tip);
    this.#order(listed);
    if (this.#isListTooLong) logger.info({ count: listed.size }, 'the node tells the whole mempool again');
    this.#isListTooLong = false;
    this.#listedAt = now();
    this.#listNotBefore = this.#listedAt + Math.max(listPauseMs, 10 * (this.#listedAt - begun));
    this.#listBy(this.#listedAt + (this.#isSubscribed ? listEveryMs : POLL_MS));
    this.#followed(wasSubscribed);
  }

  /** Those that the node named keep its order; what came since stays behind them. */
  #order(listed: ReadonlyMap<Id, unknown>): void {
    const here = [...this.pool.transactions()].map(({ id }) => id);
    const ids = [...listed.keys()].filter((id) => this.pool.has(id));
    if (ids.some((id, i) => id !== here[i])) this.#emit({ type: 'Ordered', ids });
  }

  /** In the seldom case that no list tells what has left. */
  #checkSome(): void {
    const ids = [...this.pool.transactions()].map(({ id }) => id);
    const from = this.#checked === undefined ? 0 : ids.indexOf(this.#checked) + 1;
    const chosen = [...ids.slice(from), ...ids.slice(0, from)].slice(0, CHECKED_AT_ONCE);
    for (const id of chosen) if (!this.#queue.get(id)) this.#queue.add(id, { origin: 'remote', wasThere: true });
    this.#checked = chosen.at(-1);
  }

  async #askForQueued(): Promise<void> {
    const { source } = this.#options;
    const found: Candidate[] = [];
    const missing: Id[] = [];
    const asked = this.#queue.first(ASKED_AT_ONCE);
    for (const [id, { origin, wasThere }] of asked) {
      if (wasThere || !this.pool.has(id)) {
        this.#heard.delete(id);
        const waiting = await source.transaction(id, this.#signal(LONGEST_CALL_MS));
        const decoded = waiting?.pool === 'mempool' ? this.#decoder.one(waiting.bytes, id) : undefined;
        if (decoded !== undefined && !this.pool.has(id)) found.push({ ...decoded, origin });
        else if (decoded !== undefined) this.#decider.present(id);
        else if (wasThere) missing.push(id);
      }
    }
    if (missing.length > 0) {
      const tip = await source.tip(this.#signal(LONGEST_CALL_MS));
      // One that the node reported in the meantime has come again.
      for (const id of missing) if (!this.#heard.has(id)) this.#decider.missing(id, tip);
    }
    await this.#intake.take(found, true);
    // Only now, so that a failed request is repeated. An id may have been added again in the meantime.
    for (const [id, queued] of asked) if (this.#queue.get(id) === queued) this.#queue.delete(id);
    this.#tellState({});
  }

  /** The node was asked and has answered: what is here is what it has. */
  #followed(wasSubscribed: boolean): void {
    const { logger, now } = this.#options;
    if (this.#failures > 0) logger.info({ failures: this.#failures }, 'the node tells its mempool again');
    this.#failures = 0;
    this.#hasListed = true;
    this.#tellState({ staleSince: wasSubscribed && this.#isSubscribed ? null : now() });
  }

  #fail(error: unknown): void {
    const { logger, now } = this.#options;
    if (this.#failures++ === 0)
      logger.warn({ error: String(error) }, 'the node does not tell its mempool, asking again until it does');
    this.#stale();
    this.#restUntil = now() + pauseAfter(this.#failures, PAUSES);
    this.#listBy(0);
  }

  #stale(): void {
    if (this.#state.staleSince === null) this.#tellState({ staleSince: this.#options.now() });
  }

  #tellState(changed: Partial<MirrorState>): void {
    const isComplete = !this.#isListTooLong && !this.#decider.hasForgotten;
    const state = { ...this.#state, ...changed, isComplete };
    if (state.isComplete === this.#state.isComplete && state.staleSince === this.#state.staleSince) return;
    this.#state = state;
    this.#emit({ type: 'State', state });
  }

  #emit(change: MempoolChange): void {
    this.pool.apply(change);
    this.#intake.changed(change);
    for (const listener of this.#listeners) listener(change);
  }

  #signal(ms: number): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ms)]);
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#closing.signal.aborted) this.#wake();
    });
  }
}
