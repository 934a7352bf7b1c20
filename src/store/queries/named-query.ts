import {
  type BatchedQuery,
  batchedQuery,
  type QueryRunner,
  type SnapshotRows,
  type SqlValue,
} from '../read/batched-query.ts';

/** Makes a function that runs a batched query; for queries with a short result that need no mapping of parameters. */
export function namedQuery<P extends readonly SqlValue[], Row>(
  definition: Parameters<typeof batchedQuery<P, Row>>[0],
): (store: QueryRunner, ...parameters: P) => Promise<SnapshotRows<Row>> {
  const query: BatchedQuery<P, Row> = batchedQuery(definition);
  return (store, ...parameters) => store.query(query, ...parameters);
}
