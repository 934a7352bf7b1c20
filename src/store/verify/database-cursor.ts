import type pg from 'pg';

/** Rows that are fetched at once. */
const PAGE = 5_000;

/** Yields the rows of a query, with one page in memory at a time. Several cursors may be open, under different names. */
export async function* rowsByCursor<Row extends object>(
  client: pg.Client,
  name: string,
  sql: string,
  page = PAGE,
): AsyncGenerator<Row> {
  await client.query(`declare ${name} no scroll cursor for ${sql}`);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${page} from ${name}`);
    yield* rows;
    if (rows.length < page) break;
  }
  await client.query(`close ${name}`);
}
