/** Pending transactions in a worker: a copy of the mirror's pool, updated by messages of the primary process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { changeFromMessage } from '../../mempool/changes.ts';
import type { Answer } from '../../mempool/mirror.ts';
import { PendingPool } from '../../mempool/pool.ts';
import type { PendingChange, PendingTransactions } from './pending-transactions.ts';
import { RevisionTracker } from './wait-for-revision.ts';
import { type FoundMessage, isPendingMessage, type ToPrimary, type ToWorker } from './worker-messages.ts';

/** How the processes reach each other: `process` in a worker. */
export type WorkerChannel = Pick<NodeJS.Process, 'on' | 'off' | 'send'>;

/** The primary asks the node for 2 s at most. */
const LONGEST_WAIT_MS = 4_000;
/** Maximum number of ids in requests to the primary at a time. */
const MOST_ASKED = 500;

export class WorkerPendingTransactions implements PendingTransactions {
  readonly #channel: WorkerChannel;
  readonly #network: Network;
  readonly #listeners = new Set<(news: PendingChange) => void>();
  readonly #asked = new Map<number, (found: FoundMessage) => void>();
  readonly #revisions = new RevisionTracker();
  readonly #onMessage = (message: unknown) => {
    if (isPendingMessage<ToWorker>(message)) this.#take(message);
  };
  #pool: PendingPool;
  /** Being filled, to take the place of the other. */
  #next: PendingPool | null = null;
  #isBegun = false;
  #hasSeenIndex = false;
  readonly #begun = Promise.withResolvers<void>();
  #number = 0;

  constructor(network: Network, channel: WorkerChannel = process) {
    this.#network = network;
    this.#channel = channel;
    this.#pool = new PendingPool(network);
    channel.on('message', this.#onMessage);
    this.#send({ pending: 'wanted' });
  }

  /** Waits until the pool is as that of the primary was, or `withinMs` are over. */
  async begun(withinMs: number): Promise<void> {
    await Promise.race([this.#begun.promise, sleep(withinMs, undefined, { ref: false })]);
  }

  get pool(): PendingPool {
    return this.#pool;
  }

  get revision(): number {
    return this.#revisions.revision;
  }

  reached(revision: number): Promise<void> {
    return this.#revisions.reached(revision);
  }

  indexMoved(revision: number | null): void {
    // At its start a worker has seen no index yet, but others may have.
    if (revision === null && !this.#hasSeenIndex) return;
    this.#hasSeenIndex = true;
    this.#send({ pending: 'moved', revision });
  }

  async find(id: Id): Promise<Answer> {
    if (this.#isBegun && !this.#pool.isAvailable(Date.now())) return { state: 'Unavailable' };
    const known = this.#pool.find(id, Date.now());
    if (known?.state === 'Pending' || known?.state === 'Confirmed') return known;
    const found = await this.#ask(id);
    if (found.state === 'Unavailable') return { state: 'Unavailable' };
    const now = this.#pool.find(id, Date.now());
    if (now !== undefined) return now;
    switch (found.state) {
      case 'Pending': {
        const change = changeFromMessage(found.added);
        return change.type === 'Added' ? { state: 'Pending', transaction: change.transaction } : undefined;
      }
      case 'Dropped':
        return found;
      case 'Confirmed':
      case 'Unknown':
        return undefined;
    }
  }

  listen(listener: (news: PendingChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#channel.off('message', this.#onMessage);
    for (const answer of this.#asked.values()) answer({ state: 'Unavailable' });
  }

  #take(message: ToWorker): void {
    switch (message.pending) {
      case 'begin':
        this.#next = new PendingPool(this.#network);
        return;
      case 'changes':
        for (const each of message.changes) {
          const change = changeFromMessage(each);
          (this.#next ?? this.#pool).apply(change);
          if (this.#next === null) this.#tell(change);
        }
        return;
      case 'whole':
        if (this.#next === null) return;
        this.#pool = this.#next;
        this.#next = null;
        if (this.#isBegun) this.#tell({ type: 'Lost' });
        this.#isBegun = true;
        this.#begun.resolve();
        return;
      case 'reached':
        return this.#revisions.reach(message.revision);
      case 'found':
        this.#asked.get(message.number)?.(message.found);
    }
  }

  #tell(news: PendingChange): void {
    for (const listener of this.#listeners) listener(news);
  }

  async #ask(id: Id): Promise<FoundMessage> {
    if (this.#asked.size >= MOST_ASKED) return { state: 'Unknown' };
    const number = this.#number++;
    const { promise, resolve } = Promise.withResolvers<FoundMessage>();
    this.#asked.set(number, resolve);
    const timer = setTimeout(() => resolve({ state: 'Unavailable' }), LONGEST_WAIT_MS);
    this.#send({ pending: 'find', number, id });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(number);
    }
  }

  #send(message: ToPrimary): void {
    // The primary may have ended: this process ends, too.
    this.#channel.send?.(message, undefined, undefined, () => undefined);
  }
}
