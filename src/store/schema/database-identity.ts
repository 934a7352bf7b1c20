/** The index that a database holds: its network, genesis and storage version. */
import type pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { programCommand } from '../../errors/program-command.ts';
import { SCHEMA_NAME } from '../postgres/connect.ts';

/**
 * The version of the tables and their contents. It is raised with every change, and an index of another version must be
 * rebuilt: see docs/decisions/no-migrations.md.
 */
export const STORAGE_VERSION = '8';

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
  const network = meta.get('network');
  if (meta.get('genesis_id') !== identity.genesisId || network !== identity.network) {
    const right = network === identity.network ? '' : ` For this database it is ${network}.`;
    throw new OperatorError(
      `the database holds the chain of ${network} (genesis ${meta.get('genesis_id')}), not of ` +
        `${identity.network} (genesis ${identity.genesisId}); nothing was changed. Is --network right?${right} ` +
        'Otherwise name another database (--postgres-database). To replace that index by one of ' +
        `${identity.network}, start the scanner once with --resync.`,
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
