/** Runs one statement for any number of waiters, hands out its rows, and remembers the statements in flight. */
import type { Caller } from '../../resources/caller.ts';
import type { HeldUnits } from '../../resources/slots.ts';
import { arrayText } from '../postgres/column-values.ts';
import type { BatchedQuery, SnapshotRows, SnapshotTip, SqlValue, TipColumns } from './batched-query.ts';
import type { ReadConnection } from './read-connection.ts';
import { StoreError } from './store-error.ts';

// biome-ignore lint/suspicious/noExplicitAny: the batcher holds queries of all kinds, whatever their rows are
export type AnyRow = any;
export type AnyQuery = BatchedQuery<readonly SqlValue[], AnyRow>;

/** A caller that waits for the rows of a query with its parameters. */
export interface QueryWaiter extends RowWaiter<AnyRow> {
  readonly query: AnyQuery;
  readonly parameters: readonly SqlValue[];
  /** The client for which it runs; unbatched queries take turns by client. */
  readonly caller: Caller;
  /** The units that its request holds; returned while it waits for a statement of its own. */
  readonly held: HeldUnits | undefined;
  /** Time at which it began to wait, of `performance.now()`. */
  since: number;
  /** Number of statements for it that failed. */
  failures: number;
}

/** Identifies a query with its parameters. */
export function queryKey({ name }: AnyQuery, parameters: readonly SqlValue[]): string {
  return [name, ...parameters].join(' ');
}

/** The most rows that the waiter may get; 1 where its query does not say. */
export function rowLimitOf({ query, parameters }: QueryWaiter): number {
  return query.rowLimitIndex === -1 ? 1 : Number(parameters[query.rowLimitIndex]);
}

/** Called when a statement has ended: with null, or with the error and the waiters that have got no rows. */
type OnStatementEnd = (error: Error | null, unanswered: readonly QueryWaiter[]) => void;

const NOBODY: readonly QueryWaiter[] = [];

export class SharedStatementRunner {
  readonly #inFlight = new Set<RowDistributor<AnyRow, QueryWaiter>>();

  /** Runs a query for waiters with parameters of their own; they get their rows after `onEnd` at the latest. */
  run(connection: ReadConnection, query: AnyQuery, waiters: readonly QueryWaiter[], onEnd: OnStatementEnd): void {
    const distributor = new RowDistributor<AnyRow, QueryWaiter>(query.presenceColumn, waiters);
    this.#inFlight.add(distributor);
    connection.run<AnyRow>(query, parameterArrays(query, waiters), {
      row: (row) => distributor.add(row),
      done: (error) => {
        this.#inFlight.delete(distributor);
        if (error) onEnd(error, distributor.fail());
        else {
          onEnd(null, NOBODY);
          distributor.end();
        }
      },
    });
  }

  /** The waiters of all statements in flight that have got no rows yet; the statements may still end by themselves. */
  takeUnanswered(): QueryWaiter[] {
    return [...this.#inFlight].flatMap((distributor) => distributor.fail());
  }
}

/** The waiters' numbers, and an array of their values for each parameter. */
function parameterArrays(query: AnyQuery, waiters: readonly QueryWaiter[]): string[] {
  const numbers = waiters.map((_, n) => n);
  const values = (i: number) => waiters.map(({ parameters }) => parameters[i]!);
  return [arrayText('integer', numbers), ...query.types.map((type, i) => arrayText(type, values(i)))];
}

/** A caller that waits for rows of a statement. */
export interface RowWaiter<Row> {
  resolve(result: SnapshotRows<Row>): void;
  reject(error: Error): void;
}

/** Milliseconds after which a finished result is released. With fewer, clients of 12 kB lists got out of step: small batches. */
const MAX_HOLD_MS = 10;

/**
 * Distributes the rows of one statement to its waiters. Small results are held back until the statement ends: so their
 * clients send their next requests together, and few statements serve them. Results that take long are released while
 * PostgreSQL works on the next ones.
 */
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

  /** Called after the last row; no row at all means that the database holds no chain. */
  end(): void {
    if (this.#tip === null) for (const waiter of this.#waiters) waiter.reject(new StoreError('not ready'));
    else while (this.#current < this.#waiters.length) this.#hold();
    this.#release();
    // A set that this was in may hold it until the next full garbage collection, and all rows with the waiters' promises.
    this.#waiters = [];
  }

  /** Called if the statement failed: releases the finished results, and returns the waiters without one. */
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
