/**
 * Unbatched queries: those whose result may be of any length, and those that took too long before. Each runs in a statement
 * of its own, few at a time, in turns of clients.
 */
import type { Slots } from '../../resources/slots.ts';
import type { SqlValue } from './batched-query.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type AnyQuery, type QueryWaiter, queryKey, type SharedStatementRunner } from './shared-statement-runner.ts';

/** The most queries with their parameters that are remembered as slow. */
const MAX_SLOW_QUERIES = 10_000;
/** A slow query that took fewer milliseconds than this is batched again. */
const NO_LONGER_SLOW_MS = 1_000;
/** Milliseconds before statements that failed are run again. */
const RETRY_PAUSE_MS = 25;

export class UnbatchedQueue {
  readonly #pool: ConnectionPool;
  readonly #runner: SharedStatementRunner;
  readonly #slots: Slots;
  readonly #onFailed: (waiters: readonly QueryWaiter[], error: Error) => void;
  /** Waiters for a slot, and waiters with a slot that wait for a connection. */
  readonly #waiting = new Set<QueryWaiter>();
  /** Waiters with a slot. */
  readonly #ready = new Set<QueryWaiter>();
  /** Keys of the queries that PostgreSQL cancelled for their duration. */
  readonly #slow = new Set<string>();

  /** `onFailed` gets the waiter of a failed statement that has got no rows. */
  constructor(
    pool: ConnectionPool,
    runner: SharedStatementRunner,
    slots: Slots,
    onFailed: (waiters: readonly QueryWaiter[], error: Error) => void,
  ) {
    this.#pool = pool;
    this.#runner = runner;
    this.#slots = slots;
    this.#onFailed = onFailed;
  }

  /** Was this query with these parameters cancelled for its duration? Then it would be for the others of a batch as well. */
  isSlow(query: AnyQuery, parameters: readonly SqlValue[]): boolean {
    return this.#slow.size > 0 && this.#slow.has(queryKey(query, parameters));
  }

  rememberSlow({ query, parameters }: QueryWaiter): void {
    if (this.#slow.size >= MAX_SLOW_QUERIES) this.#slow.clear();
    this.#slow.add(queryKey(query, parameters));
  }

  add(waiter: QueryWaiter): void {
    const { client } = waiter.caller;
    this.#waiting.add(waiter);
    this.#acquireSlot(waiter).then(
      () => {
        // It may have been rejected while it waited.
        if (!this.#waiting.has(waiter)) return this.#slots.release(client);
        this.#ready.add(waiter);
        this.send();
      },
      (error: Error) => {
        if (this.#waiting.delete(waiter)) waiter.reject(error);
      },
    );
  }

  async #acquireSlot({ caller, held }: QueryWaiter): Promise<void> {
    held?.returnMeanwhile();
    await this.#slots.acquire(caller);
    try {
      await held?.acquireAgain();
    } catch (error) {
      this.#slots.release(caller.client);
      throw error;
    }
  }

  /**
   * Runs each query of a slow batch separately, as if it had just arrived, because it is unknown which of them is slow.
   */
  addBatch(waiters: readonly QueryWaiter[]): void {
    const now = performance.now();
    for (const waiter of waiters) {
      waiter.since = now;
      this.add(waiter);
    }
  }

  retry(waiters: readonly QueryWaiter[]): void {
    setTimeout(() => {
      for (const waiter of waiters) this.add(waiter);
    }, RETRY_PAUSE_MS).unref();
  }

  /** Sends what can be sent; to be called when a connection is idle. */
  send(): void {
    for (const waiter of this.#ready) {
      const connection = this.#pool.idleConnection();
      if (!connection) return;
      this.#ready.delete(waiter);
      this.#waiting.delete(waiter);
      const { client } = waiter.caller;
      const sentAt = performance.now();
      this.#runner.run(connection, waiter.query, [waiter], (error, unanswered) => {
        this.#slots.release(client);
        if (error) this.#onFailed(unanswered, error);
        else if (this.#slow.size > 0 && performance.now() - sentAt < NO_LONGER_SLOW_MS) {
          this.#slow.delete(queryKey(waiter.query, waiter.parameters));
        }
      });
    }
  }

  /** Calls `reject` for the waiters that have waited longer than `maxWaitMs` at `now`, and sends the others. */
  rejectOverdue(now: number, maxWaitMs: number, reject: (waiter: QueryWaiter) => void): void {
    for (const waiter of this.#take(({ since }) => now - since > maxWaitMs)) reject(waiter);
    this.send();
  }

  /** Removes all waiters that are not in flight. */
  takeAll(): QueryWaiter[] {
    return this.#take(() => true);
  }

  #take(matches: (waiter: QueryWaiter) => boolean): QueryWaiter[] {
    const taken = [...this.#waiting].filter(matches);
    for (const waiter of taken) {
      this.#waiting.delete(waiter);
      if (this.#ready.delete(waiter)) this.#slots.release(waiter.caller.client);
    }
    return taken;
  }
}
