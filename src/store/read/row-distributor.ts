/**
 * Distributes the rows of one statement to its waiters. Small results are held back until the statement ends: so their
 * clients send their next requests together, and few statements serve them. Results that take long are released while
 * PostgreSQL works on the next ones.
 */
import type { SnapshotRows, SnapshotTip, TipColumns } from './batched-query.ts';
import { StoreError } from './store-error.ts';

/** Who waits for rows of a statement. */
export interface RowWaiter<Row> {
  resolve(result: SnapshotRows<Row>): void;
  reject(error: Error): void;
}

/** Milliseconds after which a finished result is released. With fewer, clients of 12 kB lists got out of step: small batches. */
const MAX_HOLD_MS = 10;

export class RowDistributor<Row extends TipColumns, Waiter extends RowWaiter<Row>> {
  readonly #presenceColumn: keyof Row;
  #waiters: readonly Waiter[];
  readonly #now: () => number;
  #tip: SnapshotTip | null = null;
  /** The number of the waiter whose rows are coming. */
  #current = 0;
  #rows: Row[] = [];
  /** Finished results that are held back, of the waiters right before the current one. */
  #held: Row[][] = [];
  #heldSince = 0;

  /** `presenceColumn` is null only in the row that stands for "nothing found". */
  constructor(presenceColumn: keyof Row, waiters: readonly Waiter[], now: () => number = () => performance.now()) {
    this.#presenceColumn = presenceColumn;
    this.#waiters = waiters;
    this.#now = now;
  }

  /** Takes the next row; they come in the order of the waiters, at least one for each. Throws when they do not. */
  add(row: Row): void {
    if (row.n < this.#current) throw new Error(`a row of waiter ${row.n} after those of waiter ${this.#current}`);
    if (this.#tip === null) {
      this.#tip = { revision: row.revision!, height: row.tip_height!, id: row.tip_id! };
      this.#heldSince = this.#now();
    }
    // A result is finished when the rows of the next one begin.
    if (this.#current < row.n) {
      while (this.#current < row.n) this.#hold();
      if (this.#now() - this.#heldSince >= MAX_HOLD_MS) this.#release();
    }
    if (row[this.#presenceColumn] !== null) this.#rows.push(row);
  }

  /** To be called when all rows have come; none at all means that the database holds no chain. */
  end(): void {
    if (this.#tip === null) for (const waiter of this.#waiters) waiter.reject(new StoreError('not ready'));
    else while (this.#current < this.#waiters.length) this.#hold();
    this.#release();
    // A set that this was in may hold it until the next full garbage collection, and all rows with the waiters' promises.
    this.#waiters = [];
  }

  /** To be called when the statement failed: releases the finished results, and returns the waiters without one. */
  fail(): readonly Waiter[] {
    this.#release();
    return this.#waiters.slice(this.#current);
  }

  #hold(): void {
    this.#held.push(this.#rows);
    this.#rows = [];
    this.#current++;
  }

  #release(): void {
    const first = this.#current - this.#held.length;
    for (const [i, rows] of this.#held.entries()) this.#waiters[first + i]!.resolve({ tip: this.#tip!, rows });
    this.#held = [];
    this.#heldSince = this.#now();
  }
}
