/**
 * A batched query: one prepared statement that answers any number of callers. Each parameter is an array with one element
 * per caller, and each row says in its column `n` which caller it belongs to. The first rows also carry the tip that the
 * statement saw: rows, and what is computed from the tip (confirmations, locks in the next block), are of one snapshot.
 */
import type { Id } from '../../chain/types.ts';
import type { Columns, ColumnType } from '../postgres/column-values.ts';
import { SCHEMA_NAME } from '../postgres/connect.ts';

/** The tip of the chain in the snapshot that a statement read. */
export interface SnapshotTip {
  /** Grows with every commit of the scanner. */
  readonly revision: number;
  readonly height: number;
  readonly id: Id;
}

/** The rows for one caller, and the tip of the snapshot they were read from. No rows: nothing was found. */
export interface SnapshotRows<Row> {
  readonly tip: SnapshotTip;
  readonly rows: Row[];
  /** Do the rows also depend on what this index saw before the tip? */
  readonly dependsOnHistory?: boolean;
}

export type SqlValue = string | number | bigint | boolean | null;

export interface BatchedQuery<Parameters extends readonly SqlValue[], Row> {
  /** The name of the query, and of its prepared statement. */
  readonly name: string;
  /** The types of the parameters, in their order. */
  readonly types: readonly ColumnType[];
  readonly sql: string;
  /** A column that is null only in the row that stands for "nothing found". */
  readonly presenceColumn: keyof Row & string;
  /** Index of the parameter with the maximum number of rows for one caller; -1 if there is none. */
  readonly rowLimitIndex: number;
  /** The types of the parameters. The field exists only for the compiler. */
  readonly parameterTypes?: Parameters;
}

/** A query with the parameters of one caller: see {@link boundQuery}. */
export interface BoundQuery<Row> {
  readonly query: BatchedQuery<readonly SqlValue[], Row>;
  readonly parameters: readonly SqlValue[];
}

export function boundQuery<P extends readonly SqlValue[], Row>(
  query: BatchedQuery<P, Row>,
  ...parameters: P
): BoundQuery<Row> {
  return { query, parameters };
}

/** The source of named queries: a QueryDispatcher, or a test's stand-in. */
export interface QueryRunner {
  /** Runs a query whose result is short, in one statement with others of its kind. Throws a {@link StoreError}. */
  query<P extends readonly SqlValue[], Row>(query: BatchedQuery<P, Row>, ...parameters: P): Promise<SnapshotRows<Row>>;
}

/** The source of named queries with results of any length. */
export interface UnbatchedQueryRunner extends QueryRunner {
  /** Runs a query in a statement of its own; few of these run at a time. Throws a {@link StoreError}. */
  queryUnbatched<P extends readonly SqlValue[], Row>(
    query: BatchedQuery<P, Row>,
    ...parameters: P
  ): Promise<SnapshotRows<Row>>;
}

/** The options of a named query whose result may have any length. */
export interface UnbatchedOption {
  /** Run it in a statement of its own, as {@link UnbatchedQueryRunner.queryUnbatched} does; otherwise batched. */
  readonly unbatched?: boolean;
}

/** Runs a query batched, or in a statement of its own. */
export function runQuery<P extends readonly SqlValue[], Row>(
  store: UnbatchedQueryRunner,
  unbatched: boolean | undefined,
  query: BatchedQuery<P, Row>,
  ...parameters: P
): Promise<SnapshotRows<Row>> {
  return unbatched === true ? store.queryUnbatched(query, ...parameters) : store.query(query, ...parameters);
}

/** The name of the parameter that bounds the rows for one caller. */
const ROW_LIMIT = 'row_limit';

/** The columns that every row has besides its own; the tip's are null except in the rows of the first caller. */
export interface TipColumns {
  /** The caller that the row belongs to, from 0 on. */
  readonly n: number;
  readonly revision: number | null;
  readonly tip_height: number | null;
  readonly tip_id: Id | null;
}

/**
 * Defines a batched query. `parameters` are the names and types of the parameters in their order; `select` is a subquery
 * over `q` (the parameters of one caller) and `t` (the row of `chain_tip`) that yields the rows of that caller in their
 * order, at most as many as the parameter `row_limit` says if there is one. It becomes a lateral join, which PostgreSQL can only run as a nested loop: so the order is kept.
 */
export function batchedQuery<Parameters extends readonly SqlValue[], Row>(definition: {
  readonly name: string;
  readonly parameters: Columns;
  readonly presenceColumn: keyof Row & string;
  readonly select: string;
}): BatchedQuery<Parameters, Row> {
  const names = Object.keys(definition.parameters);
  const types = Object.values(definition.parameters);
  requireUniqueName(definition);
  const arrays = ['$1::int[]', ...types.map((type, i) => `$${i + 2}::${type}[]`)].join(', ');
  return {
    name: definition.name,
    types,
    presenceColumn: definition.presenceColumn,
    rowLimitIndex: names.indexOf(ROW_LIMIT),
    sql: `
      select q.n, case q.n when 0 then t.revision end as revision, case q.n when 0 then t.height end as tip_height,
             case q.n when 0 then t.block_id end as tip_id, x.*
      from chain_tip t
      cross join unnest(${arrays}) as q (${['n', ...names].join(', ')})
      left join lateral (${definition.select}) x on true
      ${ONLY_IN_OUR_SCHEMA}`,
  };
}

/**
 * No row if the tables that the statement found are not certainly ours, because a pooler gave it the connection of others.
 * PostgreSQL looks names up anew when `search_path` has changed since a statement was prepared. `is_only` is always true: with
 * it this is the condition of an index, which costs nothing, and not one for all rows, which costs 6 µs for 20 of them.
 */
const ONLY_IN_OUR_SCHEMA = `where t.is_only = (current_setting('search_path') = '${SCHEMA_NAME}')`;

/** The SQL of all queries by name: connections prepare statements by name, and queries of one name are batched. */
const selectsByName = new Map<string, string>();

function requireUniqueName({ name, select }: { readonly name: string; readonly select: string }): void {
  if ((selectsByName.get(name) ?? select) !== select) throw new Error(`two queries have the name ${name}`);
  selectsByName.set(name, select);
}

/** Returns a function that runs a batched query; for queries with a short result that need no mapping of parameters. */
export function queryFunction<P extends readonly SqlValue[], Row>(
  definition: Parameters<typeof batchedQuery<P, Row>>[0],
): (store: QueryRunner, ...parameters: P) => Promise<SnapshotRows<Row>> {
  const query: BatchedQuery<P, Row> = batchedQuery(definition);
  return (store, ...parameters) => store.query(query, ...parameters);
}
