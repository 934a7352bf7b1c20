/** The index that a database holds: its network, genesis and storage version. */

import type pg from 'pg';
import type { Network } from '../../chain/networks/network.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { programCommand } from '../../errors/program-command.ts';
import { SCHEMA_NAME } from '../postgres/connect.ts';
import { sqlStatement, type WriteStatement } from '../write/transferable-statements.ts';
import { BEGUN_MIGRATIONS_NAME } from './in-place-migrations.ts';

/**
 * The version of the tables and their contents. It is raised with every change of what is stored, and an index of another
 * version must be rebuilt. What is only added is a migration in place: see docs/decisions/additions-in-place.md.
 */
export const STORAGE_VERSION = '16';

/** The row of `meta` with the version of the program that created the index, or added the newest step to it. */
export const MADE_BY_VERSION = 'program_version';

/**
 * Says whether the database holds an index of this network and storage version, or nothing yet. Throws an OperatorError when it
 * holds something else. `mayBeRestored`: tables without a row of `meta` are nothing yet, because a restore may be under way.
 */
export async function requireOwnOrEmptyDatabase(
  client: pg.Client,
  network: Network,
  { mayBeRestored = false } = {},
): Promise<'empty' | 'ours'> {
  const found = await examineDatabase(client, network, Number.POSITIVE_INFINITY, mayBeRestored);
  if (typeof found === 'string') return found;
  throw olderStorageError(found.older);
}

/**
 * As {@link requireOwnOrEmptyDatabase}, but returns an index of an older storage version, too. `maxMigrations`: the most migrations in
 * place that the caller can work with; readers need not know those added.
 */
export async function examineDatabase(
  client: pg.Client,
  network: Network,
  maxMigrations = Number.POSITIVE_INFINITY,
  mayBeRestored = false,
): Promise<'empty' | 'ours' | { readonly older: string }> {
  const tables = await tablesOfSchema(client);
  if (tables.length === 0) return 'empty';
  const drop = `To drop it for good, run this SQL in the database ${client.database}: drop schema ${SCHEMA_NAME} cascade;`;
  const meta = tables.includes('meta') && tables.includes('chain_tip') ? await readMeta(client) : new Map();
  if (mayBeRestored && meta.size === 0) return 'empty';
  const version = meta.get('storage_version');
  if (version === undefined) throw new OperatorError(`${otherTablesMessage(tables)} ${drop}`);
  // Networks may share a genesis and differ in their rules.
  const stored = meta.get('network');
  if (meta.get('genesis_id') !== network.genesisId || stored !== network.name) {
    const right = stored === network.name ? '' : ` For this database it is ${stored}.`;
    throw new OperatorError(
      `the database holds the chain of ${stored} (genesis ${meta.get('genesis_id')}), not of ` +
        `${network.name} (genesis ${network.genesisId}); nothing was changed. Is --network right?${right} ` +
        `Otherwise name another database (--postgres-database). ${drop}`,
    );
  }
  const steps = Number(meta.get(BEGUN_MIGRATIONS_NAME) ?? 0);
  if (isNewerStorage(version))
    throw newerIndexError(`storage version ${version}`, STORAGE_VERSION, meta.get(MADE_BY_VERSION));
  if (version === STORAGE_VERSION && steps > maxMigrations)
    throw newerIndexError(`${steps} steps in place`, `${maxMigrations}`, meta.get(MADE_BY_VERSION));
  return version === STORAGE_VERSION ? 'ours' : { older: version };
}

/** The error for an index of an older storage version. `resyncedAt`: when a `--resync` that is still set was carried out. */
export function olderStorageError(version: string, resyncedAt?: string): OperatorError {
  const leftOver =
    resyncedAt === undefined
      ? ''
      : `The --resync in the settings was carried out already (${resyncedAt}): start once without it, then with it again. `;
  return new OperatorError(
    `the database has storage version ${version}, this program needs ${STORAGE_VERSION}; nothing was changed. ${leftOver}` +
      'Start the scanner once with --resync to drop the index and build it anew from the node, or fill a second ' +
      `database while this one is served: ${programCommand('upgrade')}.`,
  );
}

/** The error for an index that a newer program has made. `madeBy`: the version of that program, if it is known. */
function newerIndexError(found: string, known: string, madeBy: string | undefined): OperatorError {
  return new OperatorError(
    `the index has ${found}, this program knows ${known}: it was made by ` +
      `${madeBy === undefined ? 'a newer version' : `version ${madeBy} or newer`}, start that one; nothing was changed.`,
  );
}

/** Is a storage version newer than this program's? One that is no number cannot be older. */
function isNewerStorage(version: string): boolean {
  return version !== STORAGE_VERSION && !(Number(version) < Number(STORAGE_VERSION));
}

function otherTablesMessage(tables: readonly string[]): string {
  return (
    `the schema ${SCHEMA_NAME} of the database holds tables that are no index (${tables.slice(0, 3).join(', ')}` +
    `${tables.length > 3 ? ', …' : ''}); nothing was changed. Use another database (--postgres-database).`
  );
}

/** The names of the tables in the schema. */
async function tablesOfSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1 order by tablename',
    [SCHEMA_NAME],
  );
  return rows.map(({ name }) => name);
}

/** Sets a row of the table `meta`. */
export function setMetaStatement(name: string, value: string): WriteStatement {
  return sqlStatement(
    'insert into meta (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    name,
    value,
  );
}

export async function readMeta(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(`select name, value from ${SCHEMA_NAME}.meta`);
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/**
 * The record of a carried-out `--resync`. The option drops the index only once, even if it stays in a unit or environment
 * file: the new index records that a resync made it, until a start without `--resync` removes the record.
 */
const RESYNC_DONE = 'made_by_resync';

/** The statement that records a resync, for the transaction that creates the index. */
export function resyncStatement(): WriteStatement {
  return setMetaStatement(RESYNC_DONE, new Date().toISOString());
}

/** Returns when the resync that created the index in the database began; undefined if no resync created it. */
export async function resyncDoneAt(client: pg.Client): Promise<string | undefined> {
  return (await readMeta(client)).get(RESYNC_DONE);
}

/** Called at a start without `--resync`. Forgets that a resync was done, so that a later start with the option resyncs again. */
export async function removeResyncRecord(client: pg.Client): Promise<void> {
  if ((await readMeta(client)).has(RESYNC_DONE)) await client.query('delete from meta where name = $1', [RESYNC_DONE]);
}
