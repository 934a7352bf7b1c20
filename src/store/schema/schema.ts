/** The database schema: creating, identifying and dropping it. */
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { programCommand } from '../../errors/program-command.ts';
import { SCHEMA_NAME } from '../postgres/connect.ts';
import { inDatabaseTransaction } from '../postgres/in-transaction.ts';
import { runStatements, sqlStatement, type WriteStatement } from '../write/write-statement.ts';

/**
 * The version of the tables and their contents. It is raised with every change, and an index of another version must be
 * rebuilt: see docs/decisions/no-migrations.md.
 */
export const STORAGE_VERSION = '6';

export interface DatabaseIdentity {
  readonly network: string;
  readonly genesisId: string;
}

/**
 * Says whether the database holds an index of this network and storage version, or nothing yet.
 * Throws an OperatorError when it holds something else.
 */
export async function requireOwnOrEmptyDatabase(
  client: pg.Client,
  identity: DatabaseIdentity,
): Promise<'empty' | 'ours'> {
  const tables = await tablesOfSchema(client);
  if (tables.length === 0) return 'empty';
  if (!tables.includes('meta') || !tables.includes('chain_tip')) throw new OperatorError(otherTablesMessage(tables));
  const meta = await readMeta(client);
  const version = meta.get('storage_version');
  if (version === undefined) throw new OperatorError(otherTablesMessage(tables));
  if (version !== STORAGE_VERSION) {
    throw new OperatorError(
      `the database has storage version ${version}, this program needs ${STORAGE_VERSION}; nothing was changed. ` +
        'Start the scanner once with --resync to drop the index and build it anew from the node, or fill a second ' +
        `database while this one is served: ${programCommand('upgrade')}.`,
    );
  }
  // Networks may share a genesis and differ in their rules.
  if (meta.get('genesis_id') !== identity.genesisId || meta.get('network') !== identity.network) {
    throw new OperatorError(
      `the database holds the chain of ${meta.get('network')} (genesis ${meta.get('genesis_id')}), not of ` +
        `${identity.network} (genesis ${identity.genesisId}); nothing was changed. Use another database ` +
        '(--postgres-database), or start the scanner once with --resync to drop that index.',
    );
  }
  return 'ours';
}

function otherTablesMessage(tables: readonly string[]): string {
  return (
    `the schema ${SCHEMA_NAME} of the database holds tables that are no index (${tables.slice(0, 3).join(', ')}` +
    `${tables.length > 3 ? ', …' : ''}); nothing was changed. Use another database (--postgres-database), or start ` +
    'the scanner once with --resync to drop them.'
  );
}

/** The names of the tables in the schema. */
export async function tablesOfSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1 order by tablename',
    [SCHEMA_NAME],
  );
  return rows.map(({ name }) => name);
}

export async function readMeta(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(`select name, value from ${SCHEMA_NAME}.meta`);
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Statements that create the tables in an empty schema, without the keys that inserting rows does not need. */
export async function tableStatements(): Promise<WriteStatement[]> {
  return [sqlStatement(`create schema if not exists ${SCHEMA_NAME}`), sqlStatement(await schemaFile('1-tables.sql'))];
}

/** Statements that create the keys by which the ledger reads and writes; each does nothing if its key exists. */
export async function keyStatements(): Promise<WriteStatement[]> {
  return (await statementsOf('2-keys.sql')).map((statement) => sqlStatement(statement));
}

/** Statements that create the indexes for the API's queries; each does nothing if its index exists. */
export function indexStatements(): Promise<string[]> {
  return statementsOf('3-indexes.sql');
}

/** Statements that create all keys and indexes; each does nothing if its own exists. */
export async function keyAndIndexStatements(): Promise<string[]> {
  return [...(await statementsOf('2-keys.sql')), ...(await indexStatements())];
}

/** Creates the tables with their keys in an empty schema, without the indexes for the API's queries. */
export async function createTables(client: pg.Client): Promise<void> {
  await runStatements(client, [...(await tableStatements()), ...(await keyStatements())]);
}

function schemaFile(name: string): Promise<string> {
  return readFile(new URL(`./${name}`, import.meta.url), 'utf8');
}

async function statementsOf(name: string): Promise<string[]> {
  return (await schemaFile(name))
    .replace(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** SQLSTATE: objects outside the schema depend on what was to be dropped. */
const DEPENDENT_OBJECTS = '2BP01';

/**
 * Drops the tables, views, sequences, functions and types in the schema, except those of extensions. An object that another
 * one depends on is left for the next round. When a round drops nothing, objects outside the schema depend on the rest: one
 * more round then raises PostgreSQL's error, which names them.
 */
const DROP_ALL = `
  do $$
  declare
    statement text;
    dropped   int := 1;
    is_last   boolean := false;
  begin
    loop
      is_last := dropped = 0;
      dropped := 0;
      for statement in
        select format('drop %s if exists %s', i.type, i.identity)
          from pg_depend d
         cross join lateral pg_identify_object(d.classid, d.objid, 0) i
         where d.refclassid = 'pg_namespace'::regclass and d.refobjid = to_regnamespace('${SCHEMA_NAME}')
           and d.classid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass)
           and not exists (select from pg_depend e where e.classid = d.classid and e.objid = d.objid and e.deptype = 'e')
         order by i.identity
      loop
        begin
          execute statement;
          dropped := dropped + 1;
        exception when dependent_objects_still_exist then
          if is_last then raise; end if;
        end;
      end loop;
      exit when is_last;
    end loop;
  end $$`;

/**
 * Drops the index: everything in the schema, nothing else. The schema itself stays, and with it the privileges of web
 * servers. Throws an OperatorError, and drops nothing, when other objects in the database depend on the index.
 */
export async function dropTables(client: pg.Client): Promise<void> {
  await inDatabaseTransaction(client, () => client.query(DROP_ALL)).catch(
    (error: { code?: string; detail?: string }) => {
      if (error.code !== DEPENDENT_OBJECTS) throw error;
      throw new OperatorError(
        `the index cannot be dropped, something else in the database needs it: ${error.detail?.replaceAll('\n', '; ')}. ` +
          'Nothing was changed. Drop that first.',
        { cause: error },
      );
    },
  );
}
