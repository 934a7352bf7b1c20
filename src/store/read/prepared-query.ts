/**
 * One execution of a prepared statement. `pg` lets others than its own queries speak on its connection (cursors do);
 * this one requests the row description when the statement is prepared, not with every execution, which saves a fifth
 * of the cost of a short statement in this process.
 */
import type pg from 'pg';

export interface Statement {
  readonly name: string;
  readonly sql: string;
}

/** A column of a statement's rows. */
interface Column {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/** What is prepared on a connection, and the columns of its rows, by the statement's name. */
export type PreparedQuery = Map<string, readonly Column[]>;

/** Messages of the protocol, as `pg` hands them on. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}
interface DataRow {
  readonly fields: readonly (string | null)[];
}

export type Row = Record<string, unknown>;

/** Who takes the rows. */
export interface RowSink<R> {
  /** Each, as it comes. What this throws fails the execution. */
  row(row: R): void;
  /** Exactly once, after the last row: null, or what went wrong. */
  done(error: Error | null): void;
}

export class QueryExecution implements pg.Submittable {
  /** Under these two `pg` remembers that the statement is parsed. */
  readonly name: string;
  readonly text: string;
  readonly callback: (error: Error | null) => void;
  readonly #client: pg.Client;
  readonly #prepared: PreparedQuery;
  readonly #values: string[];
  #columns: readonly Column[] | undefined;
  readonly #sink: RowSink<Row>;
  #failure: Error | null = null;

  /** `prepared` is the memory of the client's connection. */
  constructor(
    client: pg.Client,
    prepared: PreparedQuery,
    { name, sql }: Statement,
    values: string[],
    sink: RowSink<Row>,
  ) {
    this.name = name;
    this.text = sql;
    this.callback = (error) => sink.done(error);
    this.#sink = sink;
    this.#client = client;
    this.#prepared = prepared;
    this.#values = values;
    this.#columns = prepared.get(name);
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this;
    // One write for all messages.
    connection.stream.cork();
    try {
      if (this.#columns === undefined) {
        // After an error nobody knows what the server kept under this name.
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
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      read: this.#client.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.#failure !== null) return;
    try {
      this.#sink.row(readRow(this.#columns!, fields));
    } catch (error) {
      // Thrown on, it would end the program; the server goes on sending until it is ready again.
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {
    if (this.#columns !== undefined) this.#prepared.set(this.name, this.#columns);
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

function readRow(columns: readonly Column[], fields: DataRow['fields']): Row {
  const row: Row = {};
  for (let i = 0; i < fields.length; i++) {
    const { name, read } = columns[i]!;
    const text = fields[i]!;
    row[name] = text === null ? null : read(text);
  }
  return row;
}
