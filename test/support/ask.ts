/** Asks a batched query as the web server does: with its settings, on a connection of its own, for one asker. */
import type { TestContext } from 'node:test';
import type pg from 'pg';
import { arrayOf } from '../../src/store/postgres/column-types.ts';
import { openConnection, type PostgresOptions } from '../../src/store/postgres/connect.ts';
import type { BatchedQuery, Parameter } from '../../src/store/read/batched-query.ts';
import { READING_SETTINGS } from '../../src/store/read/read-connection.ts';

/** Gives the rows that are the asker's. */
export type Ask = <P extends readonly Parameter[], Row>(
  query: BatchedQuery<P, Row>,
  ...parameters: P
) => Promise<Row[]>;

export async function asking(t: Pick<TestContext, 'after'>, postgres: PostgresOptions): Promise<Ask> {
  const client: pg.Client = await openConnection(postgres, 'test');
  t.after(() => client.end());
  await client.query(READING_SETTINGS);
  return async (query, ...parameters) => {
    const arrays = query.types.map((type, i) => arrayOf(type, [parameters[i] as Parameter]));
    const { rows } = await client.query(query.sql, ['{0}', ...arrays]);
    return rows.filter((row) => row[query.presenceColumn] !== null) as never;
  };
}

/** All entries of a list, page by page. `next`: the parameters after an entry. */
export async function pages<Row>(
  page: (after: Row | null, items: number) => Promise<readonly Row[]>,
  items = 3,
): Promise<Row[]> {
  const all: Row[] = [];
  for (;;) {
    const rows = await page(all.at(-1) ?? null, items);
    all.push(...rows);
    if (rows.length < items) return all;
  }
}
