import {
  type BatchedQuery,
  batchedQuery,
  type Parameter,
  type QueryRunner,
  type SnapshotRows,
} from '../read/batched-query.ts';

/** A batched query as a function that runs it: for a short result, with parameters as they come. */
export function namedQuery<P extends readonly Parameter[], Row>(
  definition: Parameters<typeof batchedQuery<P, Row>>[0],
): (store: QueryRunner, ...parameters: P) => Promise<SnapshotRows<Row>> {
  const query: BatchedQuery<P, Row> = batchedQuery(definition);
  return (store, ...parameters) => store.query(query, ...parameters);
}
