/**
 * Runs queries over several connections. Short ones share some of them: each is sent when it is asked for, without
 * waiting for the results of those before it (pipelining). The other connections are for queries whose results may be long, one at a
 * time on each, in turns of clients. A query that takes longer than short ones may is moved there.
 *
 * Queries are run again when a connection is lost, and rejected when the database does not answer in time.
 */
import { LastingCondition } from '../../errors/lasting-condition.ts';
import { argumentTexts } from '../../store/postgres/column-values.ts';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { isCancelledByRecovery } from '../../store/postgres/postgres-error.ts';
import { ExportReader } from '../../store/read/export-reader.ts';
import type { HostInUse } from '../../store/read/host-in-use.ts';
import type { BoundQuery, Query, QueryRunner, SnapshotRows, SqlValue } from '../../store/read/query.ts';
import { ReadConnection, SkippedError } from '../../store/read/read-connection.ts';
import { classifyPgError, IncompleteError, StoreError } from '../../store/read/store-error.ts';
import type { MigrationProgress, MissingMigrations } from '../../store/schema/in-place-migrations.ts';
import { type Caller, internalCaller } from './caller.ts';
import { createSlots } from './create-resources.ts';
import { type HeldUnits, type Slots, TurnQueue } from './slots.ts';

interface ReadPoolOptions {
  readonly postgres: PostgresOptions;
  /** Which server is read from, if there are several. */
  readonly hosts?: HostInUse | undefined;
  /** PostgreSQL cancels a long query after this many milliseconds; 10,000 unless given. */
  readonly statementTimeoutMs?: number | undefined;
  /** Has the database not answered for so long that nobody should wait for it? */
  readonly tipWatch?: {
    readonly isUnresponsive: boolean;
    readonly isFresh: boolean;
    readonly missingMigrations: MissingMigrations | null;
  };
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  /** Slots for long queries, in turns of clients; a web server's clients share them. */
  readonly statements?: Slots;
}

const STATEMENT_TIMEOUT_MS = 10_000;
/** PostgreSQL cancels a short query after this many milliseconds; it is run as a long one then. */
const SHORT_TIMEOUT_MS = 50;
/** The most short queries that a connection has without a result. When all are full, queries wait in turns of clients. */
const MAX_IN_FLIGHT = 64;
/** Milliseconds without a result after which the next connection is used: PostgreSQL waits for its disk. */
const USE_NEXT_AFTER_MS = 5;
const MAX_SHORT_CONNECTIONS = 4;
/** Milliseconds for which the queries of a name are run as long ones after one of them took too long. */
const SLOW_MS = 2_000;
/** The most statements for a query when connections are lost, the first one included. */
const MAX_ATTEMPTS = 4;
/** Milliseconds before a statement that failed is run again. */
const RETRY_PAUSE_MS = 25;
/** The longest that a query waits for a connection, in milliseconds: while there are connections, and while there are none. */
const MAX_WAIT_MS = 10_000;
const MAX_WAIT_DISCONNECTED_MS = 1_500;
/** Milliseconds between two checks for stalled connections and overdue queries. */
const CHECK_INTERVAL_MS = 250;

// biome-ignore lint/suspicious/noExplicitAny: the pool holds queries of all kinds, whatever their rows are
type AnyRow = any;
type AnyQuery = Query<readonly SqlValue[], AnyRow>;

/** A query that was asked for. */
interface Pending {
  readonly query: AnyQuery;
  readonly values: (string | null)[];
  readonly caller: Caller;
  /** The units that its request holds; returned while it waits for one of the connections for long queries. */
  readonly held: HeldUnits | undefined;
  isLong: boolean;
  /** Time of `performance.now()` since when it has waited for a connection. */
  since: number;
  state: 'waiting' | 'in flight' | 'settled';
  failures: number;
  resolve(result: SnapshotRows<AnyRow>): void;
  reject(error: Error): void;
}

export class ReadPool implements QueryRunner {
  readonly #options: ReadPoolOptions;
  readonly #statements: Slots;
  readonly #short: readonly ReadConnection[];
  readonly #long: readonly ReadConnection[];
  readonly #pending = new Set<Pending>();
  readonly #waitingShort = new TurnQueue<Pending>();
  /** Long queries with a slot that wait for a connection. */
  readonly #waitingLong = new Set<Pending>();
  /** When the queries of a name are short again, a time of `performance.now()`. */
  readonly #slowUntil = new Map<string, number>();
  readonly #checkTimer: NodeJS.Timeout;
  readonly #unconnected: LastingCondition;
  /** The time of `performance.now()` since when there has been no connection; null while there is one. */
  #disconnectedSince: number | null = performance.now();
  /** Why the last connection was lost. */
  #lossReason = '';
  #isClosed = false;

  /** Opens at most one connection less than `options.postgres.maxConnections`, which is left to the tip watch; at least two. */
  constructor(options: ReadPoolOptions) {
    this.#options = options;
    const { logger, postgres, hosts, statements = createSlots('statements') } = options;
    const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
    this.#statements = statements;
    this.#unconnected = new LastingCondition(logger, {
      holds: 'Waiting for connections to PostgreSQL: requests are answered with 503 until there is one.',
      ended: 'There is a connection to PostgreSQL again.',
    });
    const connection = (timeoutMs: number, send: () => void) =>
      new ReadConnection({
        server: () => hosts?.used ?? postgres,
        statementTimeoutMs: timeoutMs,
        readsTip: true,
        onReady: () => {
          this.#disconnectedSince = null;
          send();
        },
        onLost: (error) => this.#onConnectionLost(error),
      });
    const count = Math.max(2, postgres.maxConnections - 1);
    const longCount = Math.min(statements.total, Math.floor(count / 2));
    const shortCount = Math.min(MAX_SHORT_CONNECTIONS, count - longCount);
    this.#short = Array.from({ length: shortCount }, () => connection(SHORT_TIMEOUT_MS, () => this.#sendShort()));
    this.#long = Array.from({ length: longCount }, () => connection(statementTimeoutMs, () => this.#sendLong()));
    hosts?.onMove(() => {
      for (const each of this.#connections) each.move();
    });
    this.#checkTimer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
    this.#checkTimer.unref();
  }

  get #connections(): readonly ReadConnection[] {
    return [...this.#short, ...this.#long];
  }

  /** Opens the connections. Throws the error of the first one; all go on trying in the background. */
  async open(): Promise<void> {
    const [first, ...rest] = this.#connections;
    try {
      await first!.open();
    } finally {
      for (const connection of rest) connection.open().catch(() => {});
    }
  }

  /** Is there a connection to the database? */
  get isConnected(): boolean {
    return this.#disconnectedSince === null;
  }

  query<P extends readonly SqlValue[], Row>(query: Query<P, Row>, ...parameters: P): Promise<SnapshotRows<Row>> {
    return this.#run(internalCaller(), undefined, query, parameters, false);
  }

  queryLong<P extends readonly SqlValue[], Row>(query: Query<P, Row>, ...parameters: P): Promise<SnapshotRows<Row>> {
    return this.#run(internalCaller(), undefined, query, parameters, true);
  }

  /**
   * Runs queries for a caller: they wait in turns of clients, and no longer than it does. While long ones wait they return
   * the units that its request holds.
   */
  for(caller: Caller, held?: HeldUnits): QueryRunner {
    return {
      query: (query, ...parameters) => this.#run(caller, held, query, parameters, false),
      queryLong: (query, ...parameters) => this.#run(caller, held, query, parameters, true),
    };
  }

  /** Opens a result of any length, on a connection of its own. Throws a {@link StoreError}. */
  async openExport<Row>({ query, parameters }: BoundQuery<Row>): Promise<ExportReader<Row>> {
    const missing = this.#missingFor(query);
    if (missing !== undefined) throw new IncompleteError(missing);
    const { hosts, postgres } = this.#options;
    return ExportReader.open(hosts?.used ?? postgres, query, parameters);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#checkTimer);
    for (const pending of this.#pending)
      if (pending.state === 'waiting') this.#reject(pending, new StoreError('stopping'));
    for (const connection of this.#connections) connection.close();
  }

  /** What the query needs that is being added to the index. */
  #missingFor({ name }: AnyQuery): MigrationProgress | undefined {
    return this.#options.tipWatch?.missingMigrations?.byQuery.get(name);
  }

  #disconnectedMs(now: number): number {
    return this.#disconnectedSince === null ? 0 : now - this.#disconnectedSince;
  }

  #run(
    caller: Caller,
    held: HeldUnits | undefined,
    query: AnyQuery,
    parameters: readonly SqlValue[],
    isLong: boolean,
  ): Promise<SnapshotRows<AnyRow>> {
    if (this.#isClosed) return Promise.reject(new StoreError('stopping'));
    const since = performance.now();
    if (this.#disconnectedMs(since) > MAX_WAIT_DISCONNECTED_MS || this.#options.tipWatch?.isUnresponsive)
      return Promise.reject(new StoreError('unavailable'));
    const missing = this.#missingFor(query);
    if (missing !== undefined) return Promise.reject(new IncompleteError(missing));
    const values = argumentTexts(query, parameters);
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        query,
        values,
        caller,
        held,
        isLong: isLong || this.#isSlow(query, since),
        since,
        state: 'waiting',
        failures: 0,
        resolve,
        reject,
      };
      this.#pending.add(pending);
      this.#enqueue(pending);
    });
  }

  #isSlow({ name }: AnyQuery, now: number): boolean {
    return this.#slowUntil.size > 0 && (this.#slowUntil.get(name) ?? 0) > now;
  }

  #enqueue(pending: Pending): void {
    if (pending.state === 'settled') return;
    pending.state = 'waiting';
    if (pending.isLong) void this.#startLong(pending);
    else {
      this.#waitingShort.add(pending.caller.client, pending);
      this.#sendShort();
    }
  }

  #sendShort(): void {
    if (this.#waitingShort.size === 0) return;
    let connection = this.#shortConnection();
    for (const pending of this.#waitingShort.take(() => (connection === undefined ? 'stop' : 'take'))) {
      if (pending.state === 'waiting') this.#send(connection!, pending);
      connection = this.#shortConnection();
    }
  }

  /** The first connection that gives results, or else the first with room. */
  #shortConnection(): ReadConnection | undefined {
    const now = performance.now();
    const hasRoom = ({ isOpen, inFlight }: ReadConnection): boolean => isOpen && inFlight < MAX_IN_FLIGHT;
    return (
      this.#short.find((each) => hasRoom(each) && each.silentMs(now) < USE_NEXT_AFTER_MS) ?? this.#short.find(hasRoom)
    );
  }

  async #startLong(pending: Pending): Promise<void> {
    try {
      const { isGone, client } = pending.caller;
      if (isGone || !this.#statements.tryAcquire(client)) await this.#waitForSlot(pending);
      this.#waitingLong.add(pending);
      this.#sendLong();
    } catch (error) {
      this.#reject(pending, error as Error);
    }
  }

  /** Waits without the units that the request holds: others can use those meanwhile. */
  async #waitForSlot({ caller, held }: Pending): Promise<void> {
    held?.returnMeanwhile();
    await this.#statements.acquire(caller);
    try {
      await held?.acquireAgain();
    } catch (error) {
      this.#statements.release(caller.client);
      throw error;
    }
  }

  #sendLong(): void {
    for (const pending of this.#waitingLong) {
      const connection = this.#long.find(({ isIdle }) => isIdle);
      if (pending.state === 'waiting') {
        if (connection === undefined) return;
        this.#send(connection, pending, () => this.#statements.release(pending.caller.client));
      } else this.#statements.release(pending.caller.client);
      this.#waitingLong.delete(pending);
    }
  }

  #send(connection: ReadConnection, pending: Pending, onEnd?: () => void): void {
    pending.state = 'in flight';
    connection.run<AnyRow>(pending.query, pending.values, (error, rows, tip) => {
      onEnd?.();
      if (pending.state === 'settled') return;
      if (error instanceof SkippedError && !this.#isClosed) return this.#enqueue(pending);
      if (error !== null) return this.#onFailed(pending, error);
      if (tip === undefined) return this.#reject(pending, new StoreError('not ready'));
      this.#settle(pending);
      pending.resolve({ tip, rows });
    });
  }

  #onFailed(pending: Pending, error: Error): void {
    const { kind, isRetryable } = classifyPgError(error);
    const now = performance.now();
    if (kind === 'too slow' && !pending.isLong && !this.#isClosed) {
      this.#slowUntil.set(pending.query.name, now + SLOW_MS);
      pending.isLong = true;
      pending.since = now;
      this.#enqueue(pending);
      return;
    }
    pending.failures++;
    // A replica may cancel a statement that has run for long.
    const maxMs = isCancelledByRecovery(error) ? MAX_WAIT_MS : MAX_WAIT_DISCONNECTED_MS;
    const hasTime = pending.failures < MAX_ATTEMPTS && now - pending.since < maxMs;
    if (!isRetryable || !hasTime || this.#isClosed) return this.#reject(pending, new StoreError(kind, error));
    pending.state = 'waiting';
    setTimeout(() => this.#enqueue(pending), RETRY_PAUSE_MS).unref();
  }

  #settle(pending: Pending): void {
    pending.state = 'settled';
    this.#pending.delete(pending);
  }

  #reject(pending: Pending, error: Error): void {
    this.#settle(pending);
    pending.reject(error);
  }

  #onConnectionLost(error: Error): void {
    this.#lossReason = error.message;
    if (this.#connections.some(({ isOpen }) => isOpen)) return;
    this.#disconnectedSince ??= performance.now();
  }

  #check(): void {
    const { tipWatch } = this.#options;
    const now = performance.now();
    for (const connection of this.#connections) connection.cutWhenStalled();
    const isUnresponsive = tipWatch?.isUnresponsive ?? false;
    const maxWaitMs = this.isConnected ? MAX_WAIT_MS : MAX_WAIT_DISCONNECTED_MS;
    for (const pending of this.#pending) {
      const isOverdue = pending.state === 'waiting' && now - pending.since > maxWaitMs;
      if (isUnresponsive) this.#reject(pending, new StoreError('unavailable'));
      else if (isOverdue) this.#reject(pending, new StoreError(this.isConnected ? 'too slow' : 'unavailable'));
    }
    this.#sendLong();
    if (this.isConnected) this.#unconnected.ended();
    // The tip watch logs that PostgreSQL does not answer at all.
    else if (tipWatch?.isFresh && this.#disconnectedMs(now) > MAX_WAIT_DISCONNECTED_MS)
      this.#unconnected.holds({ reason: this.#lossReason });
  }
}
