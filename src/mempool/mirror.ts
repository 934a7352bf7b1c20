/**
 * A copy of the mempool of one node. Events tell what comes; a full list completes it at the start, after every
 * reconnection, after new tips and now and then, because a transaction that leaves has no event. One task sends
 * requests to the node, one at a time.
 */
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import type { MempoolEvent } from '../node/answers.ts';
import type { NodeLogger } from '../node/logger.ts';
import { type MempoolChange, type MirrorState, NEVER_FOLLOWED } from './changes.ts';
import { Decoder } from './decoder.ts';
import { IdsToRequest } from './ids-to-request.ts';
import type { ConfirmedIndex, IndexMove } from './index-lookup.ts';
import { type Candidate, Intake } from './intake.ts';
import { type ListPauses, ListSchedule } from './list-schedule.ts';
import { NodeLookupLimit } from './node-lookup-limit.ts';
import { PendingDecider, type PendingLimits } from './pending-decider.ts';
import { type Found, PendingPool } from './pool.ts';
import type { MempoolSource } from './source.ts';

/** Defaults: every 30 s, pauses of 500 and 60,000 ms; 8 MiB (the node lists no more), 30,000 of some 6 kB of memory each. */
export interface MirrorOptions extends Partial<ListPauses & PendingLimits> {
  readonly network: Network;
  readonly source: MempoolSource;
  readonly index: ConfirmedIndex;
  readonly logger: NodeLogger;
  /** Milliseconds of a clock that is never set (default `performance.now`). */
  readonly now?: () => number;
}

/** As the pool finds it; or the node cannot be asked, and it may be pending or not. */
export type Answer = Found | { readonly state: 'Unavailable' };

const UNAVAILABLE: Answer = { state: 'Unavailable' };
const ASKED_AT_ONCE = 32;
/** If the node's list is too long, this many ids are checked one by one in place of each list. */
const CHECKED_AT_ONCE = 200;
const LONGEST_CALL_MS = 60_000;
const LONGEST_LOOKUP_MS = 2_000;
/** The work goes on by itself after this, whatever it waits for. */
const LONGEST_SLEEP_MS = 60_000;
/** Ids that arrived while a list was being read. */
const MOST_HEARD = 20_000;

export class MempoolMirror {
  /** What is pending now. Changes by the mirror only. */
  readonly pool: PendingPool;
  readonly #source: MempoolSource;
  readonly #logger: NodeLogger;
  readonly #now: () => number;
  readonly #schedule: ListSchedule;
  readonly #decider: PendingDecider;
  readonly #intake: Intake;
  readonly #decoder: Decoder;
  readonly #lookupLimit: NodeLookupLimit<Answer>;
  readonly #queue = new IdsToRequest();
  readonly #listeners = new Set<(change: MempoolChange) => void>();
  readonly #closing = new AbortController();
  readonly #events: { close(): Promise<void> };
  readonly #working: Promise<void>;
  #state: MirrorState = NEVER_FOLLOWED;
  #isSubscribed = false;
  #hasListed = false;
  #isListTooLong = false;
  /** Ids that the node reported as present since the request (for a list, or for one of them) was sent. */
  readonly #heard = new Set<Id>();
  #nodeHeight = 0;
  /** Where the checks of those that cannot be listed have come to. */
  #checked: Id | undefined;
  #wake = () => {};

  constructor(options: MirrorOptions) {
    const { network, index, source, logger, now = () => performance.now() } = options;
    const { listEveryMs = 30_000, listPauseMs = 500, longListPauseMs = 60_000 } = options;
    const { mostBytes = 8 * 1024 * 1024, mostTransactions = 30_000 } = options;
    this.#source = source;
    this.#logger = logger;
    this.#now = now;
    this.#schedule = new ListSchedule({ listEveryMs, listPauseMs, longListPauseMs }, now);
    const pool = new PendingPool(network, now);
    const emit = (change: MempoolChange) => this.#emit(change);
    this.pool = pool;
    this.#decider = new PendingDecider(pool, { mostBytes, mostTransactions }, emit);
    this.#intake = new Intake({ network, index, logger, pool, decider: this.#decider, emit });
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
    const left = this.#decider.indexMoved(move);
    for (const id of left) this.#enqueue(id, { origin: 'local', wasThere: true });
    // For its order, and for what the new branch does not leave valid.
    if (left.length > 0) this.#wantList();
    this.#intake.retryLater();
    this.#wake();
  }

  /**
   * Where a transaction is that the index does not have. One that is not known is asked of the node, the same one at
   * most once a second, and only some in a second for one client and for all.
   */
  async find(id: Id, client = ''): Promise<Answer> {
    const known = this.pool.find(id);
    if (known?.state === 'Pending' || known?.state === 'Confirmed') return known;
    if (!this.pool.isAvailable) return known ?? UNAVAILABLE;
    const lookup = this.#lookupLimit.ask(id, client, () => this.#lookUp(id));
    const found = lookup === null ? UNAVAILABLE : await lookup;
    return this.pool.find(id) ?? found;
  }

  /** Takes in a transaction that the node has just accepted, without asking it. */
  async submitted(bytes: Uint8Array, id: Id): Promise<void> {
    this.#present(id);
    if (this.pool.has(id)) return;
    const decoded = this.#decoder.one(bytes, id);
    if (decoded !== undefined) await this.#intake.take([{ ...decoded, origin: 'local' }], true);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await Promise.all([this.#events.close(), this.#working]);
  }

  /** Asks for one and takes it in; one that had to make room before is only given. Never rejects. */
  async #lookUp(id: Id): Promise<Answer> {
    try {
      const waiting = await this.#source.transaction(id, this.#signal(LONGEST_LOOKUP_MS));
      const decoded = waiting?.pool === 'mempool' ? this.#decoder.one(waiting.bytes, id) : undefined;
      if (decoded === undefined) return undefined;
      const candidate: Candidate = { ...decoded, origin: this.#queue.get(id)?.origin ?? 'remote' };
      if (this.#decider.isForgotten(id)) return { state: 'Pending', transaction: await this.#intake.look(candidate) };
      await this.#intake.take([candidate], true);
    } catch (error) {
      this.#logger.debug({ id, error: String(error) }, 'the node could not be asked for a transaction');
      return UNAVAILABLE;
    }
    return undefined;
  }

  #onSubscribed(): void {
    this.#isSubscribed = true;
    this.#schedule.subscribed();
    this.#wake();
  }

  #onEnded(reason: string): void {
    this.#logger.warn({ reason }, 'the events of the mempool ended, listing it until they are back');
    this.#isSubscribed = false;
    this.#stale();
    this.#schedule.poll();
    this.#wake();
  }

  #onEvent(event: MempoolEvent): void {
    switch (event.type) {
      case 'NewTip': {
        // What comes back from a block, and what a block makes invalid, has no event.
        const isNext = event.tip.height === this.#nodeHeight + 1;
        this.#nodeHeight = event.tip.height;
        if (!isNext && !this.#isListTooLong) this.#schedule.shortenPause();
        return this.#wantList();
      }
      case 'TransactionProcessed':
        if (!event.accepted) return;
        this.#present(event.id);
        if (this.pool.has(event.id)) return;
        this.#enqueue(event.id, { origin: event.origin, wasThere: false });
        return this.#wake();
    }
  }

  /** The node has just said that it has it. */
  #present(id: Id): void {
    if (this.#heard.size < MOST_HEARD) this.#heard.add(id);
    this.#decider.present(id);
  }

  #enqueue(id: Id, queued: Parameters<IdsToRequest['add']>[1]): void {
    this.#queue.add(id, queued);
    if (this.#queue.isLong) this.#wantList();
  }

  #wantList(): void {
    this.#schedule.want();
    this.#wake();
  }

  async #work(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const { restMs, dueInMs } = this.#schedule;
      const due = this.#decider.due();
      try {
        if (restMs > 0) await this.#sleep(restMs);
        else if (dueInMs <= 0) await this.#list();
        else if (this.#queue.size > 0) await this.#askForQueued();
        else if (this.#intake.isRetryDue) await this.#intake.retry();
        else if (due.length === 0) await this.#sleep(dueInMs);
        else if (!(await this.#intake.settle(due))) this.#schedule.rest();
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#fail(error);
      }
    }
  }

  /** Asks for all, and makes the pool equal to it. */
  async #list(): Promise<void> {
    const before = [...this.pool.transactions()].map(({ id }) => id);
    const queued = this.#queue.all();
    const wasSubscribed = this.#isSubscribed;
    this.#heard.clear();
    this.#schedule.begin();
    const list = await this.#source.transactions(this.#signal(LONGEST_CALL_MS));
    if (list === 'too large') {
      if (!this.#isListTooLong)
        this.#logger.warn(
          {},
          'the mempool is larger than the node tells: what is pending is known from its events only',
        );
      this.#isListTooLong = true;
      this.#checkSome();
      this.#schedule.tooLong();
      return this.#followed(wasSubscribed);
    }
    const tip = await this.#source.tip(this.#signal(LONGEST_CALL_MS));
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
    if (this.#isListTooLong) this.#logger.info({ count: listed.size }, 'the node tells the whole mempool again');
    this.#isListTooLong = false;
    this.#schedule.listed(this.#isSubscribed);
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
    const found: Candidate[] = [];
    const missing: Id[] = [];
    const asked = this.#queue.first(ASKED_AT_ONCE);
    for (const [id, { origin, wasThere }] of asked) {
      if (wasThere || !this.pool.has(id)) {
        this.#heard.delete(id);
        const waiting = await this.#source.transaction(id, this.#signal(LONGEST_CALL_MS));
        const decoded = waiting?.pool === 'mempool' ? this.#decoder.one(waiting.bytes, id) : undefined;
        if (decoded !== undefined && !this.pool.has(id)) found.push({ ...decoded, origin });
        else if (decoded !== undefined) this.#decider.present(id);
        else if (wasThere) missing.push(id);
      }
    }
    if (missing.length > 0) {
      const tip = await this.#source.tip(this.#signal(LONGEST_CALL_MS));
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
    const { failures } = this.#schedule;
    if (failures > 0) this.#logger.info({ failures }, 'the node tells its mempool again');
    this.#schedule.worked();
    this.#hasListed = true;
    this.#tellState({ staleSince: wasSubscribed && this.#isSubscribed ? null : this.#now() });
  }

  #fail(error: unknown): void {
    if (this.#schedule.failures === 0)
      this.#logger.warn({ error: String(error) }, 'the node does not tell its mempool, asking again until it does');
    this.#stale();
    this.#schedule.failed();
  }

  #stale(): void {
    if (this.#state.staleSince === null) this.#tellState({ staleSince: this.#now() });
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
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_SLEEP_MS));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#closing.signal.aborted) this.#wake();
    });
  }
}
