/** Prepares the second database of an upgrade, which is filled while another one is served. */

import pg from 'pg';
import type { Network } from '../../chain/networks/network.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { type PostgresOptions, SCHEMA_NAME, withPostgresConnection } from '../postgres/connect.ts';
import { createDatabase, MAX_NAME_BYTES } from '../postgres/create-database.ts';
import { explainFinalPostgresError, NO_SUCH_DATABASE, sqlStateOf } from '../postgres/postgres-error.ts';
import { examineDatabase } from './database-identity.ts';

const APPLICATION = 'chain-indexer upgrade';

interface ExaminedDatabase {
  readonly found: Awaited<ReturnType<typeof examineDatabase>>;
  /** Size of the whole database. */
  readonly bytes: number;
}

/**
 * Examines a database as `examineDatabase` does; `undefined` if it does not exist. Throws an OperatorError also if the
 * connection is refused.
 */
export async function examineForUpgrade(
  postgres: PostgresOptions,
  network: Network,
): Promise<ExaminedDatabase | undefined> {
  try {
    return await withPostgresConnection(postgres, APPLICATION, async (client) => {
      const found = await examineDatabase(client, network);
      const size = await client.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
      return { found, bytes: size.rows[0]!.bytes };
    });
  } catch (error) {
    if (sqlStateOf(error) === NO_SUCH_DATABASE) return undefined;
    throw explainFinalPostgresError(error, postgres);
  }
}

/** The height of an index of any release; null when it cannot be read. */
export async function indexedHeight(postgres: PostgresOptions): Promise<number | null> {
  try {
    return await withPostgresConnection(postgres, APPLICATION, async (client) => {
      const { rows } = await client.query<{ height: number }>(`select height from ${SCHEMA_NAME}.chain_tip`);
      return rows[0]?.height ?? null;
    });
  } catch {
    return null;
  }
}

/** Creates a database with this name on the server of `serving`. Throws an OperatorError if that is impossible. */
export async function createSecondDatabase(serving: PostgresOptions, name: string): Promise<void> {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new OperatorError(
      `the name of the second database, ${name}, has more than ${MAX_NAME_BYTES} bytes. Give a shorter one with --new-database.`,
    );
  }
  await createDatabase(serving, name, APPLICATION);
}

/**
 * Grants the roles that may read the served database the same in the second one: the schema, its present and future tables,
 * and, where `public` may not connect, the right to connect. Returns the names of those roles.
 */
export async function copyReadRights(serving: PostgresOptions, second: PostgresOptions): Promise<string[]> {
  try {
    const { readers, connecting } = await withPostgresConnection(serving, APPLICATION, rightsOf);
    await withPostgresConnection(second, APPLICATION, async (client) => {
      await client.query(`create schema if not exists ${SCHEMA_NAME}`);
      for (const statement of [
        ...readers.map((role) => `grant usage on schema ${SCHEMA_NAME} to ${role}`),
        ...readers.map((role) => `grant select on all tables in schema ${SCHEMA_NAME} to ${role}`),
        ...readers.map((role) => `alter default privileges in schema ${SCHEMA_NAME} grant select on tables to ${role}`),
        ...connectRights(pg.escapeIdentifier(second.database), connecting),
      ])
        await client.query(statement);
    });
    return readers;
  } catch (error) {
    throw explainFinalPostgresError(error, second);
  }
}

interface Rights {
  /** Roles that were granted reading, quoted; `public` is everybody. */
  readonly readers: readonly string[];
  /** Roles that may connect, quoted. */
  readonly connecting: readonly string[];
}

async function rightsOf(client: pg.Client): Promise<{ readers: string[]; connecting: string[] }> {
  const { rows } = await client.query<{ role: string; right: keyof Rights }>(
    `with granted as (
       select grantee, 'readers' as right
         from pg_class cross join lateral aclexplode(relacl)
        where oid = to_regclass('${SCHEMA_NAME}.chain_tip') and privilege_type = 'SELECT' and grantee <> relowner
       union
       select grantee, 'readers'
         from pg_default_acl cross join lateral aclexplode(defaclacl)
        where defaclnamespace = to_regnamespace('${SCHEMA_NAME}') and defaclobjtype = 'r'
          and privilege_type = 'SELECT' and grantee <> defaclrole
       union
       select grantee, 'connecting'
         from pg_database cross join lateral aclexplode(coalesce(datacl, acldefault('d', datdba)))
        where datname = current_database() and privilege_type = 'CONNECT' and grantee <> datdba
     )
     select case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as role, "right"
       from granted order by 1`,
  );
  const rolesOf = (wanted: keyof Rights) => rows.filter(({ right }) => right === wanted).map(({ role }) => role);
  return { readers: rolesOf('readers'), connecting: rolesOf('connecting') };
}

/** Statements for the right to connect; none where `public` has it, as in a new database. */
function connectRights(database: string, roles: readonly string[]): string[] {
  if (roles.includes('public')) return [];
  return [
    `revoke connect on database ${database} from public`,
    ...roles.map((role) => `grant connect on database ${database} to ${role}`),
  ];
}
