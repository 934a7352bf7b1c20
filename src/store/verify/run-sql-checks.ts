/** Runs the checks that are SQL queries: PostgreSQL does all of the work. */
import type pg from 'pg';
import { keyAndIndexNames } from '../schema/create-and-drop-tables.ts';
import { listCompletedMigrations } from '../schema/in-place-migrations.ts';
import { type CheckResult, MAX_CHECK_EXAMPLES, type TableCheck } from './check-result.ts';
import { COUNT_CHECKS } from './count-checks.ts';
import { CROSS_TABLE_CHECKS } from './cross-table-checks.ts';
import { MARKET_CHECKS } from './market-checks.ts';
import { PAST_VALUE_CHECKS } from './past-value-checks.ts';

/** Makes the checks one after the other, within the client's transaction. */
export async function* checkTables(client: pg.Client): AsyncGenerator<CheckResult> {
  const checks = [...CROSS_TABLE_CHECKS, ...COUNT_CHECKS, ...PAST_VALUE_CHECKS, ...MARKET_CHECKS];
  for (const check of checks) yield checkTable(client, check);
}

export async function checkTable(client: pg.Client, { name, of, differences }: TableCheck): Promise<CheckResult> {
  const { rows } = await client.query<{ checked: number; differences: number; examples: string[] | null }>(`
    with difference as materialized (${differences})
    select (select count(*) from ${of}) as checked, (select count(*) from difference) as differences,
           (select array_agg(what) from (select what from difference limit ${MAX_CHECK_EXAMPLES}) as first) as examples`);
  const row = rows[0]!;
  return { name, checked: row.checked, differences: row.differences, examples: row.examples ?? [] };
}

/** Are the indexes for reading all there, once the index says so? */
export async function checkSqlIndexes(client: pg.Client): Promise<CheckResult> {
  const names = keyAndIndexNames(await listCompletedMigrations(client));
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name, chain_tip
      where is_ready and not exists (select from pg_index where indexrelid = to_regclass(name) and indisvalid)`,
    [names],
  );
  return {
    name: 'the indexes for reading are there',
    checked: names.length,
    differences: rows.length,
    examples: rows.slice(0, MAX_CHECK_EXAMPLES).map(({ name }) => `${name} is missing`),
  };
}
