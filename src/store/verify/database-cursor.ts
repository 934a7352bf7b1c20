import type pg from 'pg';

/** Rows that are fetched at once. */
const PAGE = 5_000;

/** Yields the rows of a query, with one page in memory at a time. Several cursors may be open, under different names. */
export async function* rowsByCursor<Row extends object>(
  client: pg.Client,
  name: string,
  sql: string,
  page = PAGE,
): AsyncGenerator<Row> {
  await client.query(`declare ${name} no scroll cursor for ${sql}`);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${page} from ${name}`);
    yield* rows;
    if (rows.length < page) break;
  }
  await client.query(`close ${name}`);
}

/** Rows in the order of the transactions, or other places in the chain, that they belong to. */
export class RowsByPlace<Row extends object> {
  readonly #rows: AsyncGenerator<Row>;
  readonly #placeOf: (row: Row) => number;
  #next: IteratorResult<Row> | undefined;

  constructor(rows: AsyncGenerator<Row>, placeOf: (row: Row) => number) {
    this.#rows = rows;
    this.#placeOf = placeOf;
  }

  /** Returns the rows of a place, and skipped rows of those before it. */
  async of(place: number): Promise<Row[]> {
    const found: Row[] = [];
    this.#next ??= await this.#rows.next();
    while (!this.#next.done && this.#placeOf(this.#next.value) <= place) {
      found.push(this.#next.value);
      this.#next = await this.#rows.next();
    }
    return found;
  }

  /** Returns the remaining rows. */
  rest(): Promise<Row[]> {
    return this.of(Number.POSITIVE_INFINITY);
  }
}
