import type pg from 'pg';
import { keyStatements, tableStatements } from '../../src/store/schema/create-and-drop-tables.ts';
import { runStatements } from '../../src/store/write/transferable-statements.ts';

/** Creates the tables with their keys in an empty schema, without the indexes for the API's queries. */
export async function createTables(client: pg.Client): Promise<void> {
  await runStatements(client, [...tableStatements(), ...keyStatements()]);
}
