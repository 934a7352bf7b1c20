/**
 * One execution of a prepared statement. The driver's own query asks PostgreSQL to describe the rows with every execution; this
 * one asks once, when the statement is prepared. With that single look-ups are 15 to 25 % faster
 * (docs/decisions/pipelined-queries.md).
 */
import pg from 'pg';

/** A prepared statement. */
export interface PreparedStatement {
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

export class PreparedQuery extends DriverQuery {
  /** The driver remembers by these two that the statement is parsed. */
  readonly name: string;
  readonly text: string;
  readonly callback: (error: Error | null) => void;
  readonly #client: pg.Client;
  readonly #prepared: PreparedStatements;
  readonly #values: (string | null)[];
  readonly #done: (error: Error | null, rows: object[]) => void;
  #shape: RowShape | undefined;
  #rows: object[] = [];
  #failure: Error | null = null;

  /** `prepared` belongs to the client's connection. `done` is called once, with the error or the rows. */
  constructor(
    client: pg.Client,
    prepared: PreparedStatements,
    { name, sql }: PreparedStatement,
    values: (string | null)[],
    done: (error: Error | null, rows: object[]) => void,
  ) {
    super({ text: sql });
    this.name = name;
    this.text = sql;
    this.callback = (error) => done(error, []);
    this.#client = client;
    this.#prepared = prepared;
    this.#values = values;
    this.#done = done;
    this.#shape = prepared.get(name);
  }

  override submit(connection: pg.Connection): void {
    const { name, text } = this;
    if (this.#shape === undefined) {
      // After an error it is unknown what the server has under this name.
      connection.close({ type: 'S', name }, true);
      connection.parse({ name, text, types: [] }, true);
      connection.describe({ type: 'S', name }, true);
    }
    connection.bind({ statement: name, values: this.#values }, true);
    connection.execute({}, true);
    connection.sync();
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
      this.#rows.push(readRow(this.#shape!, fields));
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
    this.#done(error, []);
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.#done(null, this.#rows);
    else this.handleError(this.#failure);
  }
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
