/**
 * Unbatched queries: those whose result may be of any length, and those that took too long before. Each runs in a statement
 * of its own, few at a time, and clients take turns.
 */
import type { Parameter } from './batched-query.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { FairQueue } from './fair-queue.ts';
import { type AnyQuery, type QueryWaiter, queryKey } from './query-waiter.ts';
import type { StatementRunner } from './statement-runner.ts';

/** The most unbatched statements in flight. */
const MAX_STATEMENTS = 2;
/** The most queries with their parameters that are remembered as slow. */
const MAX_SLOW_QUERIES = 10_000;
/** A slow query that took fewer milliseconds than this is batched again. */
const NO_LONGER_SLOW_MS = 1_000;
/** Milliseconds before statements that failed are run again. */
const RETRY_PAUSE_MS = 25;

export class UnbatchedQueue {
  readonly #pool: ConnectionPool;
  readonly #runner: StatementRunner;
  readonly #onFailed: (waiters: readonly QueryWaiter[], error: Error) => void;
  readonly #waiting = new FairQueue<QueryWaiter>();
  /** Keys of the queries that PostgreSQL cancelled for their duration. */
  readonly #slow = new Set<string>();
  #inFlight = 0;

  /** `onFailed` gets the waiter of a failed statement that has got no rows. */
  constructor(
    pool: ConnectionPool,
    runner: StatementRunner,
    onFailed: (waiters: readonly QueryWaiter[], error: Error) => void,
  ) {
    this.#pool = pool;
    this.#runner = runner;
    this.#onFailed = onFailed;
  }

  /** Was this query with these parameters cancelled for its duration? Then it would be for the others of a batch as well. */
  isSlow(query: AnyQuery, parameters: readonly Parameter[]): boolean {
    return this.#slow.size > 0 && this.#slow.has(queryKey(query, parameters));
  }

  rememberSlow({ query, parameters }: QueryWaiter): void {
    if (this.#slow.size >= MAX_SLOW_QUERIES) this.#slow.clear();
    this.#slow.add(queryKey(query, parameters));
  }

  add(waiter: QueryWaiter): void {
    this.#waiting.add(waiter.client, waiter);
    this.send();
  }

  /** One query of a batch is slow, and nobody knows which: runs each of them by itself, as if it came just now. */
  addBatch(waiters: readonly QueryWaiter[]): void {
    const now = performance.now();
    for (const waiter of waiters) {
      waiter.since = now;
      this.#waiting.add(waiter.client, waiter);
    }
    this.send();
  }

  retry(waiters: readonly QueryWaiter[]): void {
    for (const waiter of waiters) this.#waiting.add(waiter.client, waiter);
    setTimeout(() => this.send(), RETRY_PAUSE_MS).unref();
  }

  /** Sends what can be sent; to be called when a connection is idle. */
  send(): void {
    while (this.#waiting.size > 0 && this.#inFlight < MAX_STATEMENTS) {
      const connection = this.#pool.idleConnection();
      if (!connection) return;
      const waiter = this.#waiting.next()!;
      const sentAt = performance.now();
      this.#inFlight++;
      this.#runner.run(connection, waiter.query, [waiter], (error, unanswered) => {
        this.#inFlight--;
        if (error) this.#onFailed(unanswered, error);
        else if (this.#slow.size > 0 && performance.now() - sentAt < NO_LONGER_SLOW_MS) {
          this.#slow.delete(queryKey(waiter.query, waiter.parameters));
        }
      });
    }
  }

  /** Calls `reject` for the waiters that have waited longer than `maxWaitMs` at `now`, and sends the others. */
  rejectOverdue(now: number, maxWaitMs: number, reject: (waiter: QueryWaiter) => void): void {
    for (const waiter of this.#waiting.remove(({ since }) => now - since > maxWaitMs)) reject(waiter);
    this.send();
  }

  /** Removes all waiters that are not in flight. */
  takeAll(): QueryWaiter[] {
    return this.#waiting.remove(() => true);
  }
}
