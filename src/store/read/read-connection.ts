/**
 * One connection for reading. It reconnects whenever it is lost, with growing pauses, and lets no statement hang:
 * PostgreSQL cancels slow ones, and a connection on which nothing arrives for longer than that is cut.
 */
import type pg from 'pg';
import { type Backoff, backoffPause } from '../../errors/backoff.ts';
import {
  breakPostgresConnection,
  connectPostgres,
  createPostgresClient,
  type PostgresOptions,
} from '../postgres/connect.ts';

/**
 * Settings of a connection for reading. Every query walks an index from a key, whatever the statistics of the tables say:
 * a plan that reads a whole table is always a mistake. One generic plan per statement saves planning each time.
 */
export const READING_SETTINGS = `
  set default_transaction_read_only = on;
  set idle_in_transaction_session_timeout = '10s';
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_hashjoin = off;
  set enable_mergejoin = off;
  set max_parallel_workers_per_gather = 0;
  set jit = off`;

interface ConnectionEvents {
  /** Called when the connection can take a statement. */
  onIdle(connection: ReadConnection): void;
  onLost(error: Error): void;
}

/** Before reconnecting. */
const PAUSES: Backoff = { firstMs: 100, maxMs: 2_000 };
/** Milliseconds beyond the statement timeout after which a connection without an answer counts as lost. */
const GRACE_MS = 2_000;

export class ReadConnection {
  state: 'closed' | 'opening' | 'idle' | 'busy' = 'closed';
  readonly #serverToUse: () => PostgresOptions;
  /** The server of the connection. */
  #server: PostgresOptions | undefined;
  readonly #statementTimeoutMs: number;
  readonly #events: ConnectionEvents;
  #client: pg.Client | undefined;
  #prepared: PreparedStatements = new Map();
  /** Number of failures since the last successful statement. */
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #busySince = 0;
  #isStopped = false;

  /** `postgres`: the server, or a function that returns the one to connect to. */
  constructor(
    postgres: PostgresOptions | (() => PostgresOptions),
    statementTimeoutMs: number,
    events: ConnectionEvents,
  ) {
    this.#serverToUse = typeof postgres === 'function' ? postgres : () => postgres;
    this.#statementTimeoutMs = statementTimeoutMs;
    this.#events = events;
  }

  /** Opens the connection. When that fails it throws, and goes on trying in the background. */
  async open(): Promise<void> {
    if (this.#isStopped || this.state !== 'closed') return;
    this.state = 'opening';
    this.#server = this.#serverToUse();
    const client = createPostgresClient(this.#server, 'chain-indexer web server');
    this.#client = client;
    this.#prepared = new Map();
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('The database closed the connection.')));
    try {
      await connectPostgres(client, this.#server);
      await client.query(`set statement_timeout = ${this.#statementTimeoutMs}; ${READING_SETTINGS}`);
      if (this.#client !== client) throw new Error('The database closed the connection.');
      this.state = 'idle';
      this.#events.onIdle(this);
    } catch (error) {
      this.#lose(client, error as Error);
      throw error;
    }
  }

  /** Runs a prepared statement; the connection is idle again when `sink.done` is called. */
  run<Row>(statement: Statement, values: string[], sink: RowSink<Row>): void {
    const client = this.#client!;
    this.state = 'busy';
    this.#busySince = performance.now();
    const execution = new QueryExecution(client, this.#prepared, statement, values, {
      row: (row) => sink.row(row as Row),
      done: (error) => {
        if (this.#client === client && this.state === 'busy') this.state = 'idle';
        if (error === null) this.#failures = 0;
        sink.done(error);
        if (this.#client === client && this.state === 'idle') this.#events.onIdle(this);
      },
    });
    client.query(execution);
  }

  /** Called regularly: cuts the connection if PostgreSQL exceeds even the statement timeout. */
  cutWhenStalled(): void {
    if (this.state === 'busy' && performance.now() - this.#busySince > this.#statementTimeoutMs + GRACE_MS) {
      breakPostgresConnection(this.#client!, new Error('The database did not answer in time; the connection was cut.'));
    }
  }

  /** Called when another server is to be used: connects to it at once. A statement in flight fails. */
  move(): void {
    if (this.#isStopped || this.#server === this.#serverToUse()) return;
    this.#failures = 0;
    clearTimeout(this.#retry);
    if (this.#client === undefined) void this.open().catch(() => {});
    else this.#lose(this.#client, new Error('Another database server is used from now on.'));
  }

  close(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    this.state = 'closed';
    if (client === undefined) return;
    client.end().catch(() => {});
    setTimeout(() => breakPostgresConnection(client), 1_000).unref();
  }

  #lose(client: pg.Client, error: Error): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.state = 'closed';
    breakPostgresConnection(client);
    this.#events.onLost(error);
    if (this.#isStopped) return;
    this.#failures++;
    const pause = backoffPause(PAUSES, this.#failures) * (0.75 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.open().catch(() => {}), pause);
    this.#retry.unref();
  }
}

interface Statement {
  readonly name: string;
  readonly sql: string;
}

/** A column of a statement's rows. */
interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** The columns of a statement's rows. */
interface RowShape {
  readonly columns: readonly Column[];
  /**
   * A row with null in every column, to be copied. An object to which more than 16 properties are added one by one becomes a
   * hash table in V8: making and reading such a row took twice as long.
   */
  readonly emptyRow: ResultRow;
}

/** The statements that are prepared on a connection, by name. */
type PreparedStatements = Map<string, RowShape>;

/** Messages of the PostgreSQL protocol, as `pg` passes them on. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

export type ResultRow = Record<string, unknown>;

/** The receiver of the rows. */
interface RowSink<R> {
  /** Called with each row. An error that it throws fails the execution. */
  row(row: R): void;
  /** Called exactly once, after the last row, with the error or null. */
  done(error: Error | null): void;
}

/**
 * One execution of a prepared statement, as a `Submittable` of `pg`. Unlike pg's own, it asks PostgreSQL to describe the
 * rows once, when the statement is prepared, and not with every execution: that saves a fifth of what a short statement
 * costs this process.
 */
class QueryExecution implements pg.Submittable {
  /** `pg` remembers by these two that the statement is parsed. */
  readonly name: string;
  readonly text: string;
  readonly callback: (error: Error | null) => void;
  readonly #client: pg.Client;
  readonly #prepared: PreparedStatements;
  readonly #values: string[];
  #shape: RowShape | undefined;
  readonly #sink: RowSink<ResultRow>;
  #failure: Error | null = null;

  /** `prepared` belongs to the client's connection. */
  constructor(
    client: pg.Client,
    prepared: PreparedStatements,
    { name, sql }: Statement,
    values: string[],
    sink: RowSink<ResultRow>,
  ) {
    this.name = name;
    this.text = sql;
    this.callback = (error) => sink.done(error);
    this.#sink = sink;
    this.#client = client;
    this.#prepared = prepared;
    this.#values = values;
    this.#shape = prepared.get(name);
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this;
    // One write for all messages.
    connection.stream.cork();
    try {
      if (this.#shape === undefined) {
        // After an error it is unknown what the server has under this name.
        connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
        connection.describe({ type: 'S', name }, true);
      }
      connection.bind({ statement: name, values: this.#values }, true);
      connection.execute({}, true);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }));
    this.#shape = { columns, emptyRow: Object.fromEntries(columns.map(({ name }) => [name, null])) };
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.#failure !== null) return;
    try {
      this.#sink.row(readRow(this.#shape!, fields));
    } catch (error) {
      // Rethrown here it would end the process; the server goes on sending until it is ready for the next query.
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {
    if (this.#shape !== undefined) this.#prepared.set(this.name, this.#shape);
  }

  handleError(error: Error): void {
    this.#prepared.delete(this.name);
    this.#sink.done(error);
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.#sink.done(null);
    else this.handleError(this.#failure);
  }
}

function readRow({ columns, emptyRow }: RowShape, fields: DataRow['fields']): ResultRow {
  const row: ResultRow = { ...emptyRow };
  for (let i = 0; i < columns.length; i++) {
    const { name, parse } = columns[i]!;
    const text = fields[i] ?? null;
    if (text !== null) row[name] = parse(text);
  }
  return row;
}
