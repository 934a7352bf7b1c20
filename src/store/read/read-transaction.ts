/**
 * Prepared statements that PostgreSQL runs in one transaction, so that all are of one snapshot. They are sent together. The driver's own query is one statement in a transaction, which it describes with
 * each execution; here PostgreSQL describes the rows once, when the statement is prepared (docs/decisions/pipelined-queries.md).
 */
import pg from 'pg';

/** A prepared statement. */
export interface PreparedStatement {
  readonly name: string;
  readonly sql: string;
}

/** A statement to be run, and who is told of its end. */
export interface Execution {
  readonly statement: PreparedStatement;
  readonly values: readonly (string | null)[];
  /** Called once, with the driver's error or a {@link SkippedError}, or the rows. */
  done(error: Error | null, rows: object[]): void;
}

/** PostgreSQL did not run a statement, because one before it in the transaction failed. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
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
  readonly emptyRow: Readonly<Record<string, unknown>>;
}

/** The statements that are prepared on a connection, by name. */
export type PreparedStatements = Map<string, RowShape>;

/** Messages of the PostgreSQL protocol, as the driver passes them on. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** A pipelined client takes only queries of this class. */
const DriverQuery = pg.Query as unknown as new (config: pg.QueryConfig) => { submit(connection: pg.Connection): void };

export class ReadTransaction extends DriverQuery {
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
