/**
 * The rows of one statement, shared out among its askers as they come: long answers are on their way to their clients
 * while PostgreSQL works on the next.
 */
import { notReady } from './error.ts';
import type { Answer, SnapshotTip, TipColumns } from './question.ts';

export interface Sharer<Row> {
  resolve(answer: Answer<Row>): void;
  reject(error: Error): void;
}

export class Sharing<Row extends TipColumns, Asker extends Sharer<Row>> {
  readonly #key: keyof Row;
  readonly #askers: readonly Asker[];
  #tip: SnapshotTip | null = null;
  /** Whose rows are coming. */
  #current = 0;
  #rows: Row[] = [];

  /** `key`: a column that is null only where nothing was found. */
  constructor(key: keyof Row, askers: readonly Asker[]) {
    this.#key = key;
    this.#askers = askers;
  }

  /** Takes the next row; they come in the order of their askers, at least one for each. Throws when they do not. */
  add(row: Row): void {
    if (row.n < this.#current) throw new Error(`a row of asker ${row.n} after those of asker ${this.#current}`);
    this.#tip ??= { revision: row.revision!, height: row.tip_height!, id: row.tip_id! };
    // An answer is whole when the next one's rows begin.
    while (this.#current < row.n) this.#answer(this.#tip);
    if (row[this.#key] !== null) this.#rows.push(row);
  }

  /** All rows have come: none at all where the database holds no chain. */
  end(): void {
    const tip = this.#tip;
    if (tip === null) for (const asker of this.#askers) asker.reject(notReady());
    else while (this.#current < this.#askers.length) this.#answer(tip);
  }

  /** Those without an answer. */
  get waiting(): readonly Asker[] {
    return this.#askers.slice(this.#current);
  }

  #answer(tip: SnapshotTip): void {
    const rows = this.#rows;
    this.#rows = [];
    this.#askers[this.#current++]!.resolve({ tip, rows });
  }
}
