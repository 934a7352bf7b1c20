import type { Caller } from '../../resources/caller.ts';
import type { BatchedQuery, Parameter } from './batched-query.ts';
import type { RowWaiter } from './row-distributor.ts';

// biome-ignore lint/suspicious/noExplicitAny: the batcher holds queries of all kinds, whatever their rows are
export type AnyRow = any;
export type AnyQuery = BatchedQuery<readonly Parameter[], AnyRow>;

/** A caller that waits for the rows of a query with its parameters. */
export interface QueryWaiter extends RowWaiter<AnyRow> {
  readonly query: AnyQuery;
  readonly parameters: readonly Parameter[];
  /** On whose behalf it runs; unbatched queries take turns by client. */
  readonly caller: Caller;
  /** When it began to wait, by `performance.now()`. */
  since: number;
  /** Statements for it that failed. */
  failures: number;
}

/** Identifies a query with its parameters. */
export function queryKey({ name }: AnyQuery, parameters: readonly Parameter[]): string {
  return [name, ...parameters].join(' ');
}

/** The most rows that the waiter may get; 1 where its query does not say. */
export function rowLimitOf({ query, parameters }: QueryWaiter): number {
  return query.rowLimitIndex === -1 ? 1 : Number(parameters[query.rowLimitIndex]);
}
