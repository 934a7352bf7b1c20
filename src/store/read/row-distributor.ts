/**
 * The rows of one statement, shared out among its askers. Short answers go out together at its end: so their clients
 * come back together, and few statements serve them. Those that take long go out as they come, while PostgreSQL works on
 * the next.
 */

import type { SnapshotRows, SnapshotTip, TipColumns } from './batched-query.ts';
import { noChainError } from './store-error.ts';

export interface RowWaiter<Row> {
  resolve(answer: SnapshotRows<Row>): void;
  reject(error: Error): void;
}

/** So long an answer waits for those after it; less made clients of lists of 12 kB come back one by one. */
const PATIENCE_MS = 10;

export class RowDistributor<Row extends TipColumns, Asker extends RowWaiter<Row>> {
  readonly #key: keyof Row;
  readonly #askers: readonly Asker[];
  readonly #now: () => number;
  #tip: SnapshotTip | null = null;
  /** Whose rows are coming. */
  #current = 0;
  #rows: Row[] = [];
  /** The whole answers that wait for others; they are of the askers before the current one. */
  #held: Row[][] = [];
  #heldSince = 0;

  /** `key`: a column that is null only where nothing was found. */
  constructor(key: keyof Row, askers: readonly Asker[], now: () => number = () => performance.now()) {
    this.#key = key;
    this.#askers = askers;
    this.#now = now;
  }

  /** Takes the next row; they come in the order of their askers, at least one for each. Throws when they do not. */
  add(row: Row): void {
    if (row.n < this.#current) throw new Error(`a row of asker ${row.n} after those of asker ${this.#current}`);
    if (this.#tip === null) {
      this.#tip = { revision: row.revision!, height: row.tip_height!, id: row.tip_id! };
      this.#heldSince = this.#now();
    }
    // An answer is whole when the next one's rows begin.
    if (this.#current < row.n) {
      while (this.#current < row.n) this.#hold();
      if (this.#now() - this.#heldSince >= PATIENCE_MS) this.#release();
    }
    if (row[this.#key] !== null) this.#rows.push(row);
  }

  /** All rows have come: none at all where the database holds no chain. */
  end(): void {
    if (this.#tip === null) for (const asker of this.#askers) asker.reject(noChainError());
    else while (this.#current < this.#askers.length) this.#hold();
    this.#release();
  }

  /** The statement failed. Who has a whole answer gets it; gives the others. */
  fail(): readonly Asker[] {
    this.#release();
    return this.#askers.slice(this.#current);
  }

  #hold(): void {
    this.#held.push(this.#rows);
    this.#rows = [];
    this.#current++;
  }

  #release(): void {
    const first = this.#current - this.#held.length;
    for (const [i, rows] of this.#held.entries()) this.#askers[first + i]!.resolve({ tip: this.#tip!, rows });
    this.#held = [];
    this.#heldSince = this.#now();
  }
}
