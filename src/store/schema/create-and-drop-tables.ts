/** The tables, keys and indexes: the statements that create them, and dropping all of them. */
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { SCHEMA_NAME } from '../postgres/connect.ts';
import { inDatabaseTransaction } from '../postgres/in-transaction.ts';
import { sqlStatement, type WriteStatement } from '../write/transferable-statements.ts';
import { IN_PLACE_MIGRATIONS, type InPlaceMigration } from './in-place-migrations.ts';

/** Statements that create the tables in an empty schema, without the keys that inserting rows does not need. */
export function tableStatements(migrations: readonly InPlaceMigration[] = IN_PLACE_MIGRATIONS): WriteStatement[] {
  const added = migrations.flatMap(({ adds = [] }) => adds);
  return [`create schema if not exists ${SCHEMA_NAME}`, schemaFile('1-tables.sql'), ...added].map((sql) =>
    sqlStatement(sql),
  );
}

/** Statements that create the keys by which the ledger reads and writes; each does nothing if its key exists. */
export function keyStatements(): WriteStatement[] {
  return statementsOf('2-ledger-indexes.sql').map((statement) => sqlStatement(statement));
}

/** Statements that create the indexes for the API's queries; each does nothing if its index exists. */
export function indexStatements(migrations: readonly InPlaceMigration[] = IN_PLACE_MIGRATIONS): string[] {
  return [...statementsOf('3-indexes.sql'), ...migrations.flatMap(({ indexes = [] }) => indexes)];
}

/** Statements that create all keys and indexes; each does nothing if its own exists. */
export function keyAndIndexStatements(migrations?: readonly InPlaceMigration[]): string[] {
  return [...statementsOf('2-ledger-indexes.sql'), ...indexStatements(migrations)];
}

/** The name of the index that such a statement creates. */
export function indexNameOf(statement: string): string {
  return /if not exists (\w+)/.exec(statement)?.[1] ?? statement;
}

/** Returns the names of all keys and indexes, including those that are created with their tables. */
export function keyAndIndexNames(migrations?: readonly InPlaceMigration[]): string[] {
  const [, ...tables] = schemaFile('1-tables.sql')
    .replace(/^--.*$/gm, '')
    .split(/^create table /m);
  const ofTables = tables.flatMap((text) => [
    ...(text.includes('primary key') ? [`${/^\w+/.exec(text)}_pkey`] : []),
    ...[...text.matchAll(/^create (?:unique )?index (\w+)/gm)].map(([, name]) => name!),
  ]);
  return [...ofTables, ...keyAndIndexStatements(migrations).map(indexNameOf)];
}

function schemaFile(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}

function statementsOf(name: string): string[] {
  return schemaFile(name)
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
