/**
 * A query: a prepared statement. Its result has the tip of the snapshot that it saw, so that rows, and what is computed from the
 * tip (confirmations, locks in the next block), belong together.
 */
import type { Id } from '../../chain/types.ts';
import type { StatementArgument } from '../postgres/column-values.ts';

/** A block of a chain. */
export interface ChainPosition {
  readonly height: number;
  readonly id: Id;
}

/** The tip of the chain in the snapshot that a statement read. */
export interface SnapshotTip extends ChainPosition {
  /** Grows with every commit of the scanner. */
  readonly revision: number;
}

/** The rows of a query, and the tip of the snapshot they were read from. No rows: nothing was found. */
export interface SnapshotRows<Row> {
  readonly tip: SnapshotTip;
  readonly rows: Row[];
  /** Do the rows also depend on what this index saw before the tip? */
  readonly dependsOnHistory?: boolean;
}

export type SqlValue = string | number | bigint | boolean | null | readonly string[] | readonly number[];

/** Names and types. */
export type ParameterTypes = Readonly<Record<string, StatementArgument['type']>>;

/** `Parameters` and `Row` are what the compiler knows of the statement; a test compares them with PostgreSQL. */
export interface Query<Parameters extends readonly SqlValue[], Row> {
  /** The name of the query, and of its prepared statement. */
  readonly name: string;
  /** The whole statement. */
  readonly sql: string;
  readonly arguments: readonly StatementArgument[];
  /** The types of the parameters and of a row. The fields exist only for the compiler. */
  readonly parameterTypes?: Parameters;
  readonly rowType?: Row;
}

/** A query with its parameters: see {@link boundQuery}. */
export interface BoundQuery<Row> {
  readonly query: Query<readonly SqlValue[], Row>;
  readonly parameters: readonly SqlValue[];
}

export function boundQuery<P extends readonly SqlValue[], Row>(
  query: Query<P, Row>,
  ...parameters: P
): BoundQuery<Row> {
  return { query, parameters };
}

/** Runs queries: a `ReadPool`, or a test's stand-in. */
export interface QueryRunner {
  /** Runs a query that takes a millisecond or two, whatever its parameters. Throws a {@link StoreError}. */
  query<P extends readonly SqlValue[], Row>(query: Query<P, Row>, ...parameters: P): Promise<SnapshotRows<Row>>;
  /** Runs a query whose result may have any length; few of these run at a time. Throws a {@link StoreError}. */
  queryLong<P extends readonly SqlValue[], Row>(query: Query<P, Row>, ...parameters: P): Promise<SnapshotRows<Row>>;
}

/** Returns a runner whose queries may all have results of any length. */
export function longQueries(store: QueryRunner): QueryRunner {
  const query: QueryRunner['query'] = (query, ...parameters) => store.queryLong(query, ...parameters);
  return { query, queryLong: query };
}

/** A parameter by its name, as in psql: `:pool_id`; not a cast. */
const PARAMETER = /(?<!:):([a-z_]+)/g;

/**
 * Defines a query. `select` gives the rows in their order. It refers to its parameters as `:name`. `parameters`: their names and types, in the order in which they are given. Variants of a query may leave
 * some of them out.
 */
export function defineQuery<Parameters extends readonly SqlValue[], Row>(definition: {
  readonly name: string;
  readonly parameters: ParameterTypes;
  readonly select: string;
}): Query<Parameters, Row> {
  const { name, parameters } = definition;
  requireUniqueName(definition);
  const names = Object.keys(parameters);
  const referred = new Set([...definition.select.matchAll(PARAMETER)].map(([, parameter]) => parameter!));
  const unknown = [...referred].find((parameter) => !names.includes(parameter));
  if (unknown !== undefined) throw new Error(`the query ${name} has no parameter ${unknown}`);
  const used = names.filter((parameter) => referred.has(parameter));
  const sql = definition.select.replace(
    PARAMETER,
    (_, parameter: string) => `$${used.indexOf(parameter) + 1}::${parameters[parameter]}`,
  );
  return { name, sql, arguments: used.map((each) => ({ index: names.indexOf(each), type: parameters[each]! })) };
}

/** The selects of all queries by name: connections prepare statements by name. */
const selectsByName = new Map<string, string>();

/** The select of each query that has been defined, by its name. */
export const selectsByQueryName: ReadonlyMap<string, string> = selectsByName;

function requireUniqueName({ name, select }: { readonly name: string; readonly select: string }): void {
  if ((selectsByName.get(name) ?? select) !== select) throw new Error(`two queries have the name ${name}`);
  selectsByName.set(name, select);
}

/** Returns a function that runs a query; for queries that need no mapping of parameters. */
export function queryFunction<P extends readonly SqlValue[], Row>(
  definition: Parameters<typeof defineQuery<P, Row>>[0],
): (store: Pick<QueryRunner, 'query'>, ...parameters: P) => Promise<SnapshotRows<Row>> {
  const query: Query<P, Row> = defineQuery(definition);
  return (store, ...parameters) => store.query(query, ...parameters);
}
