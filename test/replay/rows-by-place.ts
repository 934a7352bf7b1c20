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
