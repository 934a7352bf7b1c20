/**
 * Runs batched queries: decides how each one is run, retries it when a connection is lost, and rejects it when the database
 * does not answer in time.
 */
import { LastingCondition } from '../../errors/lasting-condition.ts';
import { type Caller, internalCaller } from '../../resources/caller.ts';
import { createSlots } from '../../resources/resource-limits.ts';
import type { HeldUnits, Slots } from '../../resources/slots.ts';
import { isCancelledByRecovery } from '../postgres/postgres-error.ts';
import type { MissingSteps, StepProgress } from '../schema/in-place-steps.ts';
import { BatchQueues } from './batch-queues.ts';
import type { BatchedQuery, BoundQuery, SnapshotRows, SqlValue, UnbatchedQueryRunner } from './batched-query.ts';
import { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
import { ExportReader } from './export-reader.ts';
import { type AnyQuery, type AnyRow, type QueryWaiter, SharedStatementRunner } from './shared-statement-runner.ts';
import { classifyPgError, IncompleteError, StoreError } from './store-error.ts';
import { UnbatchedQueue } from './unbatched-queue.ts';

interface QueryDispatcherOptions extends ConnectionPoolOptions {
  /** Has the database not answered for so long that nobody should wait for it? */
  readonly tipWatch?: {
    readonly isUnresponsive: boolean;
    readonly isFresh: boolean;
    readonly missingSteps: MissingSteps | null;
  };
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  /** Slots for unbatched statements, in turns of clients; a web server's clients share them. */
  readonly statements?: Slots;
}

/** The most statements for a query when connections are lost, the first one included. */
const MAX_ATTEMPTS = 4;
/** The longest that a query waits for a connection, in milliseconds: while there are connections, and while there are none. */
const MAX_WAIT_MS = 10_000;
const MAX_WAIT_DISCONNECTED_MS = 1_500;
/** Milliseconds between two checks for stalled connections and overdue queries. */
const CHECK_INTERVAL_MS = 250;

export class QueryDispatcher implements UnbatchedQueryRunner {
  readonly #options: QueryDispatcherOptions;
  readonly #pool: ConnectionPool;
  readonly #runner = new SharedStatementRunner();
  readonly #batches: BatchQueues;
  readonly #unbatched: UnbatchedQueue;
  readonly #checkTimer: NodeJS.Timeout;
  readonly #unconnected: LastingCondition;
  #isClosed = false;

  /** Opens one connection less than `options.postgres.maxConnections`, which is left to the tip watch. */
  constructor(options: QueryDispatcherOptions) {
    this.#options = options;
    this.#unconnected = new LastingCondition(options.logger, {
      holds: 'Waiting for connections to PostgreSQL: requests are answered with 503 until there is one.',
      ended: 'There is a connection to PostgreSQL again.',
    });
    const { statements = createSlots('statements') } = options;
    this.#pool = new ConnectionPool(options, () => {
      this.#batches.sendBlocked();
      this.#unbatched.send();
    });
    this.#batches = new BatchQueues(this.#pool, this.#runner, (waiters, error) => this.#onBatchFailed(waiters, error));
    this.#unbatched = new UnbatchedQueue(this.#pool, this.#runner, statements, (waiters, error) =>
      this.#onUnbatchedFailed(waiters, error),
    );
    this.#checkTimer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
    this.#checkTimer.unref();
  }

  /** Opens the connections. Throws the error of the first one; all go on trying in the background. */
  open(): Promise<void> {
    return this.#pool.open();
  }

  /** Is there a connection to the database? */
  get isConnected(): boolean {
    return this.#pool.isConnected;
  }

  query<P extends readonly SqlValue[], Row>(query: BatchedQuery<P, Row>, ...parameters: P): Promise<SnapshotRows<Row>> {
    return this.#enter(internalCaller(), undefined, query, parameters, this.#unbatched.isSlow(query, parameters));
  }

  queryUnbatched<P extends readonly SqlValue[], Row>(
    query: BatchedQuery<P, Row>,
    ...parameters: P
  ): Promise<SnapshotRows<Row>> {
    return this.#enter(internalCaller(), undefined, query, parameters, true);
  }

  /**
   * Runs queries for a caller: its unbatched queries wait in turns of clients, and no longer than it does. Meanwhile
   * they return the units that its request holds.
   */
  for(caller: Caller, held?: HeldUnits): UnbatchedQueryRunner {
    return {
      query: (query, ...parameters) =>
        this.#enter(caller, held, query, parameters, this.#unbatched.isSlow(query, parameters)),
      queryUnbatched: (query, ...parameters) => this.#enter(caller, held, query, parameters, true),
    };
  }

  /** Opens a result of any length, on a connection of its own. Throws a {@link StoreError}. */
  async openExport<Row>({ query, parameters }: BoundQuery<Row>): Promise<ExportReader<Row>> {
    const missing = this.#missingFor(query);
    if (missing !== undefined) throw new IncompleteError(missing);
    const { hosts, postgres } = this.#options;
    return ExportReader.open(hosts?.used ?? postgres, query, parameters);
  }

  /** What the query needs that is being added to the index. */
  #missingFor({ name }: AnyQuery): StepProgress | undefined {
    return this.#options.tipWatch?.missingSteps?.byQuery.get(name);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#checkTimer);
    this.#pool.close();
    for (const waiter of this.#takeWaiting()) waiter.reject(new StoreError('stopping'));
  }

  #enter(
    caller: Caller,
    held: HeldUnits | undefined,
    query: AnyQuery,
    parameters: readonly SqlValue[],
    isUnbatched: boolean,
  ): Promise<SnapshotRows<AnyRow>> {
    if (this.#isClosed) return Promise.reject(new StoreError('stopping'));
    const since = performance.now();
    if (this.#pool.disconnectedMs(since) > MAX_WAIT_DISCONNECTED_MS)
      return Promise.reject(new StoreError('unavailable'));
    if (this.#options.tipWatch?.isUnresponsive) return Promise.reject(new StoreError('unavailable'));
    const missing = this.#missingFor(query);
    if (missing !== undefined) return Promise.reject(new IncompleteError(missing));
    return new Promise((resolve, reject) => {
      const waiter: QueryWaiter = { query, parameters, caller, held, since, failures: 0, resolve, reject };
      if (isUnbatched) this.#unbatched.add(waiter);
      else this.#batches.add(waiter);
    });
  }

  #onBatchFailed(waiters: readonly QueryWaiter[], error: Error): void {
    const isTooSlow = classifyPgError(error).kind === 'too slow' && !this.#isClosed;
    if (isTooSlow && waiters.length > 1) this.#unbatched.addBatch(waiters);
    else {
      const retryable = this.#retryable(waiters, error);
      if (retryable.length > 0) this.#batches.retry(retryable);
    }
  }

  #onUnbatchedFailed(waiters: readonly QueryWaiter[], error: Error): void {
    const retryable = this.#retryable(waiters, error);
    if (retryable.length > 0) this.#unbatched.retry(retryable);
  }

  /** The waiters for which the statement is worth another attempt; rejects the others. */
  #retryable(waiters: readonly QueryWaiter[], error: Error): readonly QueryWaiter[] {
    const { kind, isRetryable } = classifyPgError(error);
    if (kind === 'too slow' && !this.#isClosed) for (const waiter of waiters) this.#unbatched.rememberSlow(waiter);
    const now = performance.now();
    // A replica may cancel a statement that has run for long.
    const maxMs = isCancelledByRecovery(error) ? MAX_WAIT_MS : MAX_WAIT_DISCONNECTED_MS;
    return waiters.filter((waiter) => {
      waiter.failures++;
      const hasTime = waiter.failures < MAX_ATTEMPTS && now - waiter.since < maxMs;
      if (isRetryable && hasTime && !this.#isClosed) return true;
      waiter.reject(new StoreError(kind, error));
      return false;
    });
  }

  #takeWaiting(): QueryWaiter[] {
    return [...this.#batches.takeAll(), ...this.#unbatched.takeAll()];
  }

  #check(): void {
    this.#pool.cutStalled();
    if (this.#options.tipWatch?.isUnresponsive) {
      const waiters = [...this.#takeWaiting(), ...this.#runner.takeUnanswered()];
      for (const waiter of waiters) waiter.reject(new StoreError('unavailable'));
    }
    const maxWaitMs = this.isConnected ? MAX_WAIT_MS : MAX_WAIT_DISCONNECTED_MS;
    const reject = (waiter: QueryWaiter): void =>
      waiter.reject(this.isConnected ? new StoreError('too slow') : new StoreError('unavailable'));
    const now = performance.now();
    this.#batches.rejectOverdue(now, maxWaitMs, reject);
    this.#unbatched.rejectOverdue(now, maxWaitMs, reject);
    if (this.isConnected) this.#unconnected.ended();
    // The tip watch logs that PostgreSQL does not answer at all.
    else if (this.#options.tipWatch?.isFresh && this.#pool.disconnectedMs(now) > MAX_WAIT_DISCONNECTED_MS)
      this.#unconnected.holds({ reason: this.#pool.lossReason });
  }
}
