/** The tables as the SQL creates them, against the columns that the program writes. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type pg from 'pg';
import type { TableColumns } from '../../../src/store/postgres/column-values.ts';
import { closePostgresConnection, openPostgresConnection } from '../../../src/store/postgres/connect.ts';
import { APPEND_ONLY_TABLES } from '../../../src/store/write/append-only-tables.ts';
import { STATE_TABLES } from '../../../src/store/write/state/state-tables.ts';
import { UNDO_COLUMNS } from '../../../src/store/write/undo-log.ts';
import { createTables } from '../../support/create-tables.ts';
import { fileScope } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';

/** The tables that are written by COPY, and their columns. */
const WRITTEN: Readonly<Record<string, TableColumns>> = {
  ...Object.fromEntries(Object.entries(APPEND_ONLY_TABLES).map(([name, { columns }]) => [name, columns])),
  ...Object.fromEntries(Object.values(STATE_TABLES).map((spec) => [spec.table, spec.columns.all])),
  undo: UNDO_COLUMNS,
};

/** The tables that statements of their own keep. */
const OTHER_TABLES = [
  'candles',
  'chain_tip',
  'day_counts',
  'removed_blocks',
  'removed_transactions',
  'markets',
  'meta',
  'price_levels',
  'reorganisations',
];

const scope = fileScope();
let client: pg.Client;

before(async () => {
  client = await openPostgresConnection(await testDatabase(scope), 'test');
  scope.after(() => closePostgresConnection(client));
  await createTables(client);
});

/** The columns of each table but those that PostgreSQL computes. */
async function createdColumns(): Promise<Record<string, Record<string, string>>> {
  const { rows } = await client.query<{ table: string; column: string; spec: string }>(
    `select table_name as "table", column_name as "column",
            data_type || case when is_nullable = 'YES' then ' | null' else '' end as spec
       from information_schema.columns
      where table_schema = 'chain_indexer' and is_generated = 'NEVER' and is_identity = 'NO'`,
  );
  const tables: Record<string, Record<string, string>> = {};
  for (const { table, column, spec } of rows) tables[table] = { ...tables[table], [column]: spec };
  return tables;
}

for (const [table, columns] of Object.entries(WRITTEN)) {
  it(`the columns that the program writes are those that the SQL creates for the table ${table}, of the same types`, async () => {
    assert.deepEqual(columns, (await createdColumns())[table]);
  });
}

it('the columns that the program writes are defined for every table that the SQL creates, but for those that statements of their own keep', async () => {
  assert.deepEqual([...Object.keys(WRITTEN), ...OTHER_TABLES].sort(), Object.keys(await createdColumns()).sort());
});
