/** Runs one statement for any number of waiters, and remembers the statements in flight. */
import { arrayText } from '../postgres/column-types.ts';
import type { AnyQuery, AnyRow, QueryWaiter } from './query-waiter.ts';
import type { ReadConnection } from './read-connection.ts';
import { RowDistributor } from './row-distributor.ts';

/** Called when a statement has ended: with null, or with the error and the waiters that have got no rows. */
type OnStatementEnd = (error: Error | null, unanswered: readonly QueryWaiter[]) => void;

const NOBODY: readonly QueryWaiter[] = [];

export class StatementRunner {
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
  const numbers = arrayText(
    'integer',
    waiters.map((_, n) => n),
  );
  return [
    numbers,
    ...query.types.map((type, i) =>
      arrayText(
        type,
        waiters.map((waiter) => waiter.parameters[i]!),
      ),
    ),
  ];
}
