/**
 * A copy of the mempool of a node. Events announce new transactions. A full list completes the copy at the start, after
 * every reconnection, after new tips and at intervals, because there is no event for a transaction that leaves. One
 * task sends requests to the node, one at a time.
 */
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import { LastingCondition } from '../errors/lasting-condition.ts';
import { InterruptiblePause } from '../errors/retry.ts';
import type { NodeLogger } from '../node/logger-interface.ts';
import type { NodeMempoolEvent } from '../node/result-parsers.ts';
import type { ConfirmedIndex, IndexMove } from './confirmed-index-interface.ts';
import { IdsToRequest } from './ids-to-request.ts';
import { type IncomingTransaction, IncomingTransactions } from './incoming-transactions.ts';
import { type MempoolListPauses, MempoolListSchedule } from './list-schedule.ts';
import {
  INITIAL_MIRROR_STATE,
  type MempoolChange,
  type MempoolClientEvent,
  type MirrorState,
} from './mempool-change.ts';
import { MempoolFetcher, OtherBranch } from './mempool-fetcher.ts';
import type { MirroredNode } from './mirrored-node-interface.ts';
import { NodeLookupLimit } from './node-lookup-limit.ts';
import { type PendingLimits, PendingReconciler } from './pending-reconciler.ts';
import { type PendingLookup, PendingSet } from './pending-set.ts';

/**
 * Options. Defaults: a list every 30 s, pauses of 500 and 60,000 ms; at most 8 MiB (the node lists no more) and 30,000
 * transactions of about 6 kB of memory each.
 */
export interface MirrorOptions extends Partial<MempoolListPauses & PendingLimits> {
  readonly network: Network;
  readonly source: MirroredNode;
  /** Resolves when the first list may be requested: the tip of the index decides whether it counts. */
  readonly begin?: () => Promise<void>;
  readonly index: ConfirmedIndex;
  readonly logger: NodeLogger;
  /** The milliseconds of a monotonic clock (default `performance.now`). */
  readonly now?: () => number;
}

/** Takes each change, and the event for clients in it. */
export type MempoolListener = (change: MempoolChange, event: MempoolClientEvent | undefined) => void;

/** The state of a transaction. `Unavailable`: the node cannot be asked, so the transaction may be pending. */
export type PendingLookupResult = PendingLookup | { readonly state: 'Unavailable' };

const UNAVAILABLE: PendingLookupResult = { state: 'Unavailable' };
const ASKED_AT_ONCE = 32;
const MAX_LOOKUP_MS = 2_000;
/** Node and index do not take a reorganisation at the same time: for so long they may be on different branches. */
export const MAX_OTHER_BRANCH_MS = 10_000;
/** The longest pause of the task. */
const MAX_PAUSE_MS = 60_000;

/**
 * One task (`#work`) requests from the node and the index; events in the meantime end its pause. `#reconciler` decides
 * which transactions are pending, `#incoming` resolves them; both change the pending set only by `#emit`.
 */
export class MempoolMirror {
  /** The pending transactions. Only the mirror changes them. */
  readonly pool: PendingSet;
  readonly #logger: NodeLogger;
  readonly #now: () => number;
  readonly #node: MempoolFetcher;
  readonly #schedule: MempoolListSchedule;
  readonly #queue = new IdsToRequest();
  readonly #reconciler: PendingReconciler;
  readonly #incoming: IncomingTransactions;
  readonly #lookupLimit: NodeLookupLimit<PendingLookupResult>;
  readonly #listeners = new Set<MempoolListener>();
  readonly #unread: LastingCondition;
  readonly #unlisted: LastingCondition;
  readonly #events: { close(): Promise<void> };
  readonly #closing = new AbortController();
  readonly #pause = new InterruptiblePause();
  readonly #working: Promise<void>;
  /** Since when the node is on another branch; null while it is not. */
  #otherBranchSince: number | null = null;

  constructor(options: MirrorOptions) {
    const { network, index, source, logger, begin, now = () => performance.now() } = options;
    const { listEveryMs = 30_000, listPauseMs = 500, longListPauseMs = 60_000 } = options;
    const { maxBytes = 8 * 1024 * 1024, maxTransactions = 30_000 } = options;
    this.#logger = logger;
    this.#unread = new LastingCondition(logger, {
      holds: 'the mempool of the node cannot be read, trying again',
      ended: 'the mempool of the node can be read again',
    });
    this.#unlisted = new LastingCondition(logger, {
      holds: 'the mempool is larger than the node tells: what is pending is known from its events only',
      ended: 'the whole mempool of the node can be read again',
    });
    this.#now = now;
    this.#node = new MempoolFetcher(source, logger, this.#closing.signal);
    this.#schedule = new MempoolListSchedule({ listEveryMs, listPauseMs, longListPauseMs }, now);
    const pending = new PendingSet(network, now);
    const emit = (change: MempoolChange) => this.#emit(change);
    this.pool = pending;
    this.#reconciler = new PendingReconciler(pending, { maxBytes, maxTransactions }, emit);
    this.#incoming = new IncomingTransactions({ network, index, logger, pending, reconciler: this.#reconciler, emit });
    this.#lookupLimit = new NodeLookupLimit(now);
    this.#events = source.listen({
      subscribed: () => {
        this.#schedule.subscribed();
        this.#pause.end();
      },
      event: (event) => this.#onEvent(event),
      ended: (reason) => this.#onEnded(reason),
    });
    this.#working = begin === undefined ? this.#work() : begin().then(() => this.#work());
  }

  /** Calls `listener`, which must not throw, after each change. Returns the function that stops this. */
  listen(listener: MempoolListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Applies a move of the index. It must be called when clients can see the new tip, and before they are notified. */
  indexMoved(move: IndexMove): void {
    const removed = this.#reconciler.indexMoved(move);
    for (const id of removed) this.#enqueue(id, { origin: 'local', wasThere: true });
    // The list restores the order, and removes what the new branch makes invalid.
    if (removed.length > 0) this.#schedule.want();
    this.#incoming.retryLater();
    this.#pause.end();
  }

  /**
   * Returns the state of a transaction that the index does not have. An unknown id is requested from the node, each id at
   * most once a second. The requests per second are limited for a client and for all together.
   */
  async find(id: Id, client = ''): Promise<PendingLookupResult> {
    const known = this.pool.find(id);
    if (known?.state === 'Pending' || known?.state === 'Confirmed') return known;
    if (!this.pool.isAvailable) return known ?? UNAVAILABLE;
    const lookup = this.#lookupLimit.ask(id, client, () => this.#lookUp(id));
    const found = lookup === null ? UNAVAILABLE : await lookup;
    return this.pool.find(id) ?? found;
  }

  /** Adds a transaction that the node has just accepted, without a request to it. */
  async submitted(bytes: Uint8Array, id: Id): Promise<void> {
    this.#reconciler.present(id);
    if (this.pool.has(id)) return;
    const decoded = this.#node.decode(bytes, id);
    if (decoded !== undefined) await this.#incoming.take([{ ...decoded, origin: 'local' }], true);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pause.end();
    await Promise.all([this.#events.close(), this.#working]);
  }

  /**
   * Requests a transaction and adds it to the set. One that was removed to make room is only returned. Never rejects.
   */
  async #lookUp(id: Id): Promise<PendingLookupResult> {
    try {
      const decoded = await this.#node.transaction(id, MAX_LOOKUP_MS);
      if (decoded === undefined) return undefined;
      const found: IncomingTransaction = { ...decoded, origin: this.#queue.get(id)?.origin ?? 'remote' };
      if (this.#reconciler.isForgotten(id)) return { state: 'Pending', transaction: await this.#incoming.look(found) };
      await this.#incoming.take([found], true);
    } catch (error) {
      this.#logger.debug?.({ id, error: String(error) }, 'the node could not be asked for a transaction');
      return UNAVAILABLE;
    }
    return undefined;
  }

  #onEnded(reason: string): void {
    this.#logger.warn({ reason }, 'the events of the mempool ended, listing it until they are back');
    this.#stale();
    this.#schedule.unsubscribed();
    this.#pause.end();
  }

  #onEvent(event: NodeMempoolEvent): void {
    switch (event.type) {
      case 'NewTip':
        this.#schedule.newTip(event.tip.height);
        break;
      case 'TransactionProcessed':
        if (!event.accepted) return;
        this.#reconciler.present(event.id);
        if (this.pool.has(event.id)) return;
        this.#enqueue(event.id, { origin: event.origin, wasThere: false });
    }
    this.#pause.end();
  }

  #enqueue(id: Id, queued: Parameters<IdsToRequest['add']>[1]): void {
    this.#queue.add(id, queued);
    if (this.#queue.isLong) this.#schedule.want();
  }

  async #work(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const { restMs, dueInMs } = this.#schedule;
      const due = this.#reconciler.due();
      try {
        if (restMs > 0) await this.#pause.wait(restMs);
        else if (dueInMs <= 0) await this.#list();
        else if (this.#queue.size > 0) await this.#askForQueued();
        else if (this.#incoming.isRetryDue) {
          if (!(await this.#incoming.retry())) this.#schedule.rest();
        } else if (due.length === 0) await this.#pause.wait(Math.min(dueInMs, MAX_PAUSE_MS));
        else if (!(await this.#incoming.settle(due))) this.#schedule.rest();
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#fail(error);
      }
    }
  }

  /** Requests the whole list, and makes the pending set equal to it. */
  async #list(): Promise<void> {
    const before = this.pool.ids();
    const queued = this.#queue.all();
    const { isSubscribed: wasSubscribed } = this.#schedule;
    this.#reconciler.asking();
    this.#schedule.begin();
    const list = await this.#node.list();
    await this.#node.requireOurTip(this.#reconciler.tip);
    this.#otherBranchSince = null;
    if (list === 'too large') {
      this.#unlisted.holds({});
      this.#queue.addChecks(this.pool.ids());
      this.#schedule.tooLong();
      return this.#followed(wasSubscribed);
    }
    const { transactions, tip } = list;
    const news = [...transactions.values()].filter(({ id }) => this.#reconciler.isNews(id));
    const candidates = news.map((each) => ({ ...each, origin: queued.get(each.id)?.origin ?? 'remote' }));
    // Clients may already know the transactions that the mirror finds at its start, so no event is sent for them.
    const isFirst = this.pool.state.staleSince === INITIAL_MIRROR_STATE.staleSince;
    await this.#incoming.take(candidates, !isFirst);
    for (const [id, entry] of queued) {
      // An id may have been announced again meanwhile.
      if (this.#queue.get(id) === entry) this.#queue.delete(id);
      if (entry.wasThere && !transactions.has(id)) this.#reconciler.missing(id, tip);
    }
    this.#reconciler.listed(transactions, before, tip);
    this.#unlisted.ended({ count: transactions.size });
    this.#schedule.listed();
    this.#followed(wasSubscribed);
  }

  async #askForQueued(): Promise<void> {
    const found: IncomingTransaction[] = [];
    const missing: Id[] = [];
    const asked = this.#queue.first(ASKED_AT_ONCE);
    for (const [id, { origin, wasThere }] of asked) {
      if (!wasThere && this.pool.has(id)) continue;
      this.#reconciler.asking(id);
      const decoded = await this.#node.transaction(id);
      if (decoded !== undefined && !this.pool.has(id)) found.push({ ...decoded, origin });
      else if (decoded !== undefined) this.#reconciler.present(id);
      else if (wasThere) missing.push(id);
    }
    if (missing.length > 0) {
      const tip = await this.#node.tip();
      for (const id of missing) this.#reconciler.missing(id, tip);
    }
    await this.#incoming.take(found, true);
    // The ids are removed only now, so that a failed request is repeated. An id may have been added again meanwhile.
    for (const [id, queued] of asked) if (this.#queue.get(id) === queued) this.#queue.delete(id);
  }

  /** Notes that the node responded, so that the pending set is up to date with it. */
  #followed(wasSubscribed: boolean): void {
    this.#unread.ended();
    this.#schedule.worked();
    this.#tellState({ staleSince: wasSubscribed && this.#schedule.isSubscribed ? null : this.#now() });
  }

  #fail(error: unknown): void {
    this.#schedule.failed();
    if (error instanceof OtherBranch) {
      this.#otherBranchSince ??= this.#now();
      // In a reorganisation nothing is lost.
      if (this.#now() - this.#otherBranchSince <= MAX_OTHER_BRANCH_MS) return;
      this.#tellState({ staleSince: INITIAL_MIRROR_STATE.staleSince });
    } else {
      this.#otherBranchSince = null;
      this.#stale();
    }
    this.#unread.holds({ error: String(error) });
  }

  #stale(): void {
    if (this.pool.state.staleSince === null) this.#tellState({ staleSince: this.#now() });
  }

  #tellState(changed: Partial<MirrorState>): void {
    const old = this.pool.state;
    const isComplete = !this.#schedule.isListTooLong && !this.#reconciler.hasForgotten;
    const state = { ...old, ...changed, isComplete };
    if (state.isComplete === old.isComplete && state.staleSince === old.staleSince) return;
    this.#emit({ type: 'State', state });
  }

  #emit(change: MempoolChange): void {
    const event = this.pool.apply(change);
    this.#incoming.changed(change);
    for (const listener of this.#listeners) listener(change, event);
    // The set is incomplete from the moment when a transaction is removed to make room.
    if (change.type !== 'State') this.#tellState({});
  }
}
