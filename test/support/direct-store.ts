/** Runs queries as the web server does, with its settings, but one after the other on a connection of its own. */
import type { TestContext } from 'node:test';
import { arrayText } from '../../src/store/postgres/column-values.ts';
import { openPostgresConnection, type PostgresOptions } from '../../src/store/postgres/connect.ts';
import type { BatchedQuery, SnapshotRows, SqlValue, UnbatchedQueryRunner } from '../../src/store/read/batched-query.ts';
import { READING_SETTINGS } from '../../src/store/read/read-connection.ts';

export async function directStore(
  t: Pick<TestContext, 'after'>,
  postgres: PostgresOptions,
): Promise<UnbatchedQueryRunner> {
  const client = await openPostgresConnection(postgres, 'test');
  t.after(() => client.end());
  await client.query(READING_SETTINGS);
  let last: Promise<unknown> = Promise.resolve();
  const query = async <P extends readonly SqlValue[], Row>(
    asked: BatchedQuery<P, Row>,
    ...parameters: P
  ): Promise<SnapshotRows<Row>> => {
    const arrays = asked.types.map((type, i) => arrayText(type, [parameters[i] as SqlValue]));
    const run = last.then(() => client.query(asked.sql, ['{0}', ...arrays]));
    last = run.catch(() => {});
    const { rows } = await run;
    const { revision, tip_height: height, tip_id: id } = rows[0]!;
    return { tip: { revision, height, id }, rows: rows.filter((row) => row[asked.presenceColumn] !== null) };
  };
  return { query, queryUnbatched: query };
}
