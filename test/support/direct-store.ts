/** Runs queries as the web server does, with its settings, but one after the other on a connection of its own. */
import type { TestContext } from 'node:test';
import { argumentTexts } from '../../src/store/postgres/column-values.ts';
import { openPostgresConnection, type PostgresOptions } from '../../src/store/postgres/connect.ts';
import type { Query, QueryRunner, SnapshotRows, SqlValue } from '../../src/store/read/query.ts';
import { READING_SETTINGS } from '../../src/store/read/read-connection.ts';

export async function directStore(t: Pick<TestContext, 'after'>, postgres: PostgresOptions): Promise<QueryRunner> {
  const client = await openPostgresConnection(postgres, 'test');
  t.after(() => client.end());
  await client.query(READING_SETTINGS);
  let last: Promise<unknown> = Promise.resolve();
  const query = async <P extends readonly SqlValue[], Row>(
    asked: Query<P, Row>,
    ...parameters: P
  ): Promise<SnapshotRows<Row>> => {
    const run = last.then(async () => {
      const { rows: tips } = await client.query('select revision, height, block_id as id from chain_tip');
      const { rows } = await client.query(asked.sql, argumentTexts(asked, parameters));
      return { tip: tips[0], rows };
    });
    last = run.catch(() => {});
    return run;
  };
  return { query, queryLong: query };
}
