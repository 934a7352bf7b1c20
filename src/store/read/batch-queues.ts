/**
 * Batching: the waiters of one kind of query that arrive close together, or while a statement of that kind is in flight,
 * are answered by one statement. With many clients PostgreSQL sees few statements; with one client nothing is delayed.
 */
import type { ConnectionPool } from './connection-pool.ts';
import { type AnyQuery, type QueryWaiter, rowLimitOf, type SharedStatementRunner } from './shared-statement-runner.ts';

/** The most waiters of one statement. */
const MAX_BATCH_SIZE = 100;
/** The most rows of one statement: their processing blocks the process when they arrive. */
const MAX_BATCH_ROWS = 500;
/**
 * Milliseconds for which the waiters of a kind wait for the statement of that kind in flight, so that the next one answers
 * all of them. If it takes longer, another one is sent concurrently.
 */
const MAX_DELAY_MS = 3;
/** The most turns of the event loop, of some ten microseconds each, in which a batch collects waiters. */
const MAX_COLLECTING_TURNS = 6;
/** Milliseconds after which it stops collecting: turns take longer when the process is busy. */
const MAX_COLLECTING_MS = 1;
/** The most statements of one kind in flight. */
const MAX_STATEMENTS_PER_QUERY = 4;
/** Milliseconds before a batch that failed is run again. */
const RETRY_PAUSE_MS = 25;

/** The waiters of one kind of query. */
interface BatchQueue {
  readonly query: AnyQuery;
  waiting: QueryWaiter[];
  inFlight: number;
  /** Time at which its last statement was sent, of `performance.now()`. */
  sentAt: number;
  isCollecting: boolean;
  /** Set while {@link MAX_DELAY_MS} runs. */
  delay: NodeJS.Timeout | undefined;
}

export class BatchQueues {
  readonly #pool: ConnectionPool;
  readonly #runner: SharedStatementRunner;
  readonly #onFailed: (waiters: readonly QueryWaiter[], error: Error) => void;
  /** The queues by name of the query. */
  readonly #queues = new Map<string, BatchQueue>();
  /** The queues that could not send all of their waiters, the longest blocked first. */
  readonly #blocked = new Set<BatchQueue>();

  /** `onFailed` gets the waiters of a failed statement that have got no rows. */
  constructor(
    pool: ConnectionPool,
    runner: SharedStatementRunner,
    onFailed: (waiters: readonly QueryWaiter[], error: Error) => void,
  ) {
    this.#pool = pool;
    this.#runner = runner;
    this.#onFailed = onFailed;
  }

  add(waiter: QueryWaiter): void {
    const queue = this.#queueOf(waiter.query);
    queue.waiting.push(waiter);
    if (!queue.isCollecting) this.#collect(queue);
  }

  /** Runs the query again for waiters of one failed statement, before those that wait already. */
  retry(waiters: readonly QueryWaiter[]): void {
    const queue = this.#queueOf(waiters[0]!.query);
    queue.waiting.unshift(...waiters);
    this.#blocked.add(queue);
    setTimeout(() => this.#send(queue), RETRY_PAUSE_MS).unref();
  }

  /** Called when a connection is idle. Kinds of queries take turns, a statement of each. */
  sendBlocked(): void {
    for (let hasSent = true; hasSent; ) {
      hasSent = false;
      for (const queue of [...this.#blocked]) {
        if (this.#pool.idleConnection() === undefined) return;
        hasSent = this.#sendNext(queue) || hasSent;
      }
    }
  }

  /** Calls `reject` for the blocked waiters that have waited longer than `maxWaitMs` at `now`, and sends the others. */
  rejectOverdue(now: number, maxWaitMs: number, reject: (waiter: QueryWaiter) => void): void {
    for (const queue of this.#blocked) {
      const remaining = queue.waiting.filter(({ since }) => now - since <= maxWaitMs);
      for (const waiter of queue.waiting) if (now - waiter.since > maxWaitMs) reject(waiter);
      queue.waiting = remaining;
      this.#send(queue);
    }
  }

  /** Removes all waiters that are not in flight. */
  takeAll(): QueryWaiter[] {
    return [...this.#queues.values()].flatMap((queue) => queue.waiting.splice(0));
  }

  #queueOf(query: AnyQuery): BatchQueue {
    let queue = this.#queues.get(query.name);
    if (!queue) {
      queue = { query, waiting: [], inFlight: 0, sentAt: 0, isCollecting: false, delay: undefined };
      this.#queues.set(query.name, queue);
    }
    return queue;
  }

  /** Sends after as many turns of the event loop as bring new waiters: requests are read from their sockets one by one. */
  #collect(queue: BatchQueue): void {
    queue.isCollecting = true;
    let collected = 0;
    let turns = 0;
    const until = performance.now() + MAX_COLLECTING_MS;
    const turn = (): void => {
      const mayCollect = turns++ < MAX_COLLECTING_TURNS && performance.now() < until;
      if (queue.waiting.length > collected && mayCollect) {
        collected = queue.waiting.length;
        setImmediate(turn);
        return;
      }
      queue.isCollecting = false;
      this.#send(queue);
    };
    setImmediate(turn);
  }

  #send(queue: BatchQueue): void {
    while (this.#sendNext(queue));
  }

  /** Sends one statement. False when it cannot, or nobody waits. */
  #sendNext(queue: BatchQueue): boolean {
    if (queue.waiting.length === 0) {
      this.#blocked.delete(queue);
      return false;
    }
    const connection = this.#pool.idleConnection();
    if (!connection || this.#mustWait(queue)) {
      this.#blocked.add(queue);
      return false;
    }
    // The remaining waiters come after the other kinds.
    this.#blocked.delete(queue);
    const batch = queue.waiting.splice(0, batchSize(queue.waiting));
    if (queue.waiting.length > 0) this.#blocked.add(queue);
    queue.inFlight++;
    queue.sentAt = performance.now();
    this.#runner.run(connection, queue.query, batch, (error, unanswered) => {
      queue.inFlight--;
      if (error) this.#onFailed(unanswered, error);
    });
    return true;
  }

  #mustWait(queue: BatchQueue): boolean {
    if (queue.inFlight === 0) return false;
    if (queue.inFlight >= MAX_STATEMENTS_PER_QUERY) return true;
    const waitMs = MAX_DELAY_MS - (performance.now() - queue.sentAt);
    if (waitMs <= 0) return false;
    queue.delay ??= setTimeout(() => {
      queue.delay = undefined;
      this.#send(queue);
    }, waitMs);
    return true;
  }
}

/** Returns how many waiters one statement serves, from the first on: at least one. */
function batchSize(waiters: readonly QueryWaiter[]): number {
  const most = Math.min(waiters.length, MAX_BATCH_SIZE);
  let rows = 0;
  for (let size = 0; size < most; size++) {
    rows += rowLimitOf(waiters[size]!);
    if (rows > MAX_BATCH_ROWS) return Math.max(size, 1);
  }
  return most;
}
