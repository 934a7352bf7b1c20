/**
 * One connection for reading. It reconnects whenever it is lost, with growing pauses, and lets no statement hang:
 * PostgreSQL cancels slow ones, and a connection on which nothing arrives for longer than that is cut.
 */
import pg from 'pg';
import { type Backoff, backoffPause } from '../../errors/backoff.ts';
import {
  breakPostgresConnection,
  connectPostgres,
  createPostgresClient,
  type PostgresOptions,
  SCHEMA_NAME,
} from '../postgres/connect.ts';
import type { SnapshotTip } from './query.ts';

/** A prepared statement. */
interface PreparedStatement {
  readonly name: string;
  readonly sql: string;
}

/** A statement to be run, and who is told of its end. */
interface Execution {
  readonly statement: PreparedStatement;
  readonly values: readonly (string | null)[];
  /** Called once, with the driver's error or a {@link SkippedError}, or the rows. */
  done(error: Error | null, rows: object[]): void;
}

/** PostgreSQL did not run a statement, because one before it in the transaction failed. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
}

/**
 * Settings of a connection for reading. Every query walks an index from a key, whatever the statistics of the tables say:
 * a plan that reads a whole table is always a mistake. One generic plan per statement saves planning each time.
 */
export const READING_SETTINGS = `
  set default_transaction_read_only = on;
  set default_transaction_isolation = 'repeatable read';
  set idle_in_transaction_session_timeout = '10s';
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_hashjoin = off;
  set enable_mergejoin = off;
  set max_parallel_workers_per_gather = 0;
  set jit = off`;

/**
 * Reads the tip of a snapshot. No row if the tables may be another schema's, or if a pooler switched connections within the
 * transaction. PostgreSQL looks names up anew when `search_path` has changed since a statement was prepared. `is_only` is always
 * true.
 */
const TIP_STATEMENT: PreparedStatement = {
  name: 'tip_of_snapshot',
  sql: `
    select revision, height, block_id as id from chain_tip
    where is_only = (current_setting('search_path') = '${SCHEMA_NAME}')
      and current_setting('transaction_isolation') = 'repeatable read'`,
};

type Done<Row> = (error: Error | null, rows: Row[], tip: SnapshotTip | undefined) => void;

interface ReadConnectionOptions {
  /** Returns the server to connect to; called at each attempt. */
  readonly server: () => PostgresOptions;
  /** PostgreSQL cancels a statement after this many milliseconds. */
  readonly statementTimeoutMs: number;
  /** Read the tip with each transaction? */
  readonly readsTip?: boolean;
  /** Called when the connection is open, and after each statement. */
  onReady(): void;
  onLost(error: Error): void;
}

/** Before reconnecting. */
const PAUSES: Backoff = { firstMs: 100, maxMs: 2_000 };
/** Milliseconds beyond the statement timeout after which a connection without an answer counts as lost. */
const GRACE_MS = 2_000;

export class ReadConnection {
  /** Number of statements without a result. They are sent at once, and PostgreSQL runs them one after the other. */
  inFlight = 0;
  isOpen = false;
  readonly #options: ReadConnectionOptions;
  /** The server of the connection. */
  #server: PostgresOptions | undefined;
  #client: pg.Client | undefined;
  #prepared: PreparedStatements = new Map();
  /** Number of failures since the last successful statement. */
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  /** The time of `performance.now()` at which the statement began that PostgreSQL runs. */
  #busySince = 0;
  /** To be sent at the end of the turn. */
  readonly #gathered: (Pick<Execution, 'statement' | 'values'> & { readonly done: Done<object> })[] = [];
  #isStopped = false;

  constructor(options: ReadConnectionOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.isOpen && this.inFlight === 0;
  }

  /** Opens the connection. When that fails it throws, and goes on trying in the background. */
  async open(): Promise<void> {
    if (this.#isStopped || this.#client !== undefined) return;
    const { server, statementTimeoutMs, onReady } = this.#options;
    this.#server = server();
    const client = createPostgresClient(this.#server, 'chain-indexer web server', { pipeline: true });
    this.#client = client;
    this.#prepared = new Map();
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('The database closed the connection.')));
    try {
      await connectPostgres(client, this.#server);
      await client.query(`set statement_timeout = ${statementTimeoutMs}; ${READING_SETTINGS}`);
      if (this.#client !== client) throw new Error('The database closed the connection.');
      this.isOpen = true;
      onReady();
    } catch (error) {
      this.#lose(client, error as Error);
      throw error;
    }
  }

  /**
   * Runs a statement on an open connection, in one transaction with the others of this turn of the event loop. `done` is called
   * once, with the driver's error or a {@link SkippedError}, or the rows; and the tip of their snapshot if the connection reads it.
   */
  run<Row>(statement: PreparedStatement, values: readonly (string | null)[], done: Done<Row>): void {
    if (this.inFlight++ === 0) this.#busySince = performance.now();
    if (this.#gathered.push({ statement, values, done: done as Done<object> }) === 1) setImmediate(() => this.#send());
  }

  #send(): void {
    const client = this.#client;
    const gathered = this.#gathered.splice(0);
    if (client === undefined || gathered.length === 0) return;
    let tip: SnapshotTip | undefined;
    let tipError: Error | null = null;
    const executions = gathered.map(
      ({ statement, values, done }): Execution => ({
        statement,
        values,
        done: (error, rows) => {
          const isCurrent = this.#client === client;
          if (isCurrent) {
            this.inFlight--;
            this.#busySince = performance.now();
            if (error === null) this.#failures = 0;
          }
          done(tipError ?? error, rows, tip);
          if (isCurrent && this.isOpen) this.#options.onReady();
        },
      }),
    );
    if (this.#options.readsTip)
      executions.unshift({
        statement: TIP_STATEMENT,
        values: [],
        done: (error, [row]) => {
          tip = row as SnapshotTip | undefined;
          tipError = error;
        },
      });
    client.query(new ReadTransaction(client, this.#prepared, executions));
  }

  /** The milliseconds since the last result, while there are statements without one. `now`: of `performance.now()`. */
  silentMs(now: number): number {
    return this.inFlight === 0 ? 0 : now - this.#busySince;
  }

  /** Called regularly: cuts the connection if PostgreSQL exceeds even the statement timeout. */
  cutWhenStalled(): void {
    const limitMs = this.#options.statementTimeoutMs + GRACE_MS;
    if (this.silentMs(performance.now()) > limitMs)
      breakPostgresConnection(this.#client!, new Error('The database did not answer in time; the connection was cut.'));
  }

  /** Called when another server is to be used: connects to it without a growing pause. Statements in flight fail. */
  move(): void {
    if (this.#isStopped || this.#server === this.#options.server()) return;
    this.#failures = 0;
    clearTimeout(this.#retry);
    if (this.#client === undefined) void this.open().catch(() => {});
    else this.#lose(this.#client, new Error('Another database server is used from now on.'));
  }

  close(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#send();
    const client = this.#client;
    this.#forget();
    if (client === undefined) return;
    client.end().catch(() => {});
    setTimeout(() => breakPostgresConnection(client), 1_000).unref();
  }

  #forget(): void {
    this.#client = undefined;
    this.isOpen = false;
    this.inFlight = 0;
    for (const { done } of this.#gathered.splice(0)) done(new SkippedError(), [], undefined);
  }

  #lose(client: pg.Client, error: Error): void {
    if (this.#client !== client) return;
    this.#forget();
    breakPostgresConnection(client);
    this.#options.onLost(error);
    if (this.#isStopped) return;
    this.#failures++;
    const pause = backoffPause(PAUSES, this.#failures) * (0.75 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.open().catch(() => {}), pause);
    this.#retry.unref();
  }
}

/** The statements that are prepared on a connection, by name. */
type PreparedStatements = Map<string, RowShape>;

/** The columns of a statement's rows. */
interface RowShape {
  readonly columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /**
   * A row with null in every column, to be copied. An object to which more than 16 properties are added one by one becomes a
   * hash table in V8: making and reading such a row took twice as long.
   */
  readonly emptyRow: Readonly<Record<string, unknown>>;
}

/** Messages of the PostgreSQL protocol, as the driver passes them on. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** A pipelined client takes only queries of this class. */
const DriverQuery = pg.Query as unknown as new (config: pg.QueryConfig) => { submit(connection: pg.Connection): void };

/**
 * Statements in one transaction, so that all are of one snapshot. They are sent together. The driver's own query is one statement
 * in a transaction, which it describes with each execution; here PostgreSQL describes the rows once, when the statement is
 * prepared (docs/decisions/pipelined-queries.md).
 */
class ReadTransaction extends DriverQuery {
  readonly callback = (error: Error): void => this.handleError(error);
  readonly #client: pg.Client;
  readonly #prepared: PreparedStatements;
  readonly #executions: readonly Execution[];
  /** The index of the one that runs. */
  #index = 0;
  #rows: object[] = [];
  #rowError: Error | null = null;

  /** Runs executions in their order. `prepared` belongs to the client's connection. */
  constructor(client: pg.Client, prepared: PreparedStatements, executions: readonly Execution[]) {
    super({ text: 'read' });
    this.#client = client;
    this.#prepared = prepared;
    this.#executions = executions;
  }

  override submit(connection: pg.Connection): void {
    const described = new Set<string>();
    for (const { statement, values } of this.#executions) {
      const { name, sql } = statement;
      if (!this.#prepared.has(name) && !described.has(name)) {
        // After an error it is unknown what the server has under this name.
        connection.close({ type: 'S', name }, true);
        connection.parse({ name, text: sql, types: [] }, true);
        connection.describe({ type: 'S', name }, true);
        described.add(name);
      }
      connection.bind({ statement: name, values: values as (string | null)[] }, true);
      connection.execute({}, true);
    }
    connection.sync();
  }

  get #name(): string {
    return this.#executions[this.#index]!.statement.name;
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }));
    const emptyRow = Object.fromEntries(columns.map(({ name }) => [name, null]));
    this.#prepared.set(this.#name, { columns, emptyRow });
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.#rowError !== null) return;
    try {
      this.#rows.push(readRow(this.#prepared.get(this.#name)!, fields));
    } catch (error) {
      // Rethrown here it would end the process.
      this.#rowError = error as Error;
    }
  }

  handleCommandComplete(): void {
    const { done } = this.#executions[this.#index++]!;
    const rows = this.#rows;
    const error = this.#rowError;
    this.#rows = [];
    this.#rowError = null;
    done(error, error === null ? rows : []);
  }

  /** Called when a statement fails, or the connection. */
  handleError(error: Error): void {
    const [failed, ...skipped] = this.#executions.slice(this.#index);
    this.#index = this.#executions.length;
    if (failed === undefined) return;
    this.#prepared.delete(failed.statement.name);
    failed.done(error, []);
    for (const { done } of skipped) done(new SkippedError(), []);
  }

  handleReadyForQuery(): void {}
}

function readRow({ columns, emptyRow }: RowShape, fields: DataRow['fields']): object {
  const row: Record<string, unknown> = { ...emptyRow };
  for (let i = 0; i < columns.length; i++) {
    const { name, parse } = columns[i]!;
    const text = fields[i] ?? null;
    if (text !== null) row[name] = parse(text);
  }
  return row;
}
