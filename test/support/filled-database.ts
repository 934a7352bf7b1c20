/** A database whose tables are filled by SQL, with all indexes, for tests of single statements. */

import type pg from 'pg';
import { closePostgresConnection } from '../../src/store/postgres/connect.ts';
import { openLongStatementConnection } from '../../src/store/postgres/long-statement-connection.ts';
import { keyAndIndexStatements } from '../../src/store/schema/create-and-drop-tables.ts';
import { createTables } from './create-tables.ts';
import type { Scope } from './file-scope.ts';
import { testDatabase } from './postgres.ts';

/** Returns a connection to it; both end with the scope. */
export async function filledDatabase(scope: Scope, fill: string): Promise<pg.Client> {
  const client = await openLongStatementConnection(await testDatabase(scope), 'test');
  scope.after(() => closePostgresConnection(client));
  await createTables(client);
  await client.query(fill);
  for (const statement of keyAndIndexStatements()) await client.query(statement);
  return client;
}
