/** A second database next to the served one: what each holds, creating the second, and its privileges. */
import pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { explainWithoutWaiting, openConnection, type PostgresOptions, SCHEMA } from '../postgres/connect.ts';
import { readMeta } from './schema.ts';

/** What a database holds: nothing of an index, tables that are no index, or an index of whatever release. */
export type FoundIndex =
  | { readonly type: 'nothing' }
  | { readonly type: 'strangers' }
  | {
      readonly type: 'index';
      readonly storageVersion: string;
      readonly network: string;
      readonly genesisId: string;
      /** Of the whole database. */
      readonly bytes: number;
    };

const NO_SUCH_DATABASE = '3D000';
const EXISTS_ALREADY = '42P04';
const FORBIDDEN = '42501';
/** PostgreSQL cuts longer names. */
const MAX_NAME_BYTES = 63;
const APPLICATION = 'chain-indexer upgrade';

/** Throws an OperatorError when PostgreSQL does not let us in; `undefined` when there is no such database. */
export async function findIndex(postgres: PostgresOptions): Promise<FoundIndex | undefined> {
  try {
    return await connected(postgres, async (client): Promise<FoundIndex> => {
      const { rows } = await client.query<{ name: string }>(
        'select tablename as name from pg_tables where schemaname = $1',
        [SCHEMA],
      );
      if (rows.length === 0) return { type: 'nothing' };
      if (!rows.some(({ name }) => name === 'meta')) return { type: 'strangers' };
      const meta = await readMeta(client);
      const [storageVersion, network, genesisId] = ['storage_version', 'network', 'genesis_id'].map((name) =>
        meta.get(name),
      );
      if (storageVersion === undefined || network === undefined || genesisId === undefined)
        return { type: 'strangers' };
      const size = await client.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
      return { type: 'index', storageVersion, network, genesisId, bytes: size.rows[0]!.bytes };
    });
  } catch (error) {
    if (codeOf(error) === NO_SUCH_DATABASE) return undefined;
    throw explainWithoutWaiting(error, postgres);
  }
}

/** The height of an index of whatever release; null when it cannot be read. */
export async function indexedHeight(postgres: PostgresOptions): Promise<number | null> {
  try {
    return await connected(postgres, async (client) => {
      const { rows } = await client.query<{ height: number }>(`select height from ${SCHEMA}.chain_tip`);
      return rows[0]?.height ?? null;
    });
  } catch {
    return null;
  }
}

/**
 * Creates the database `name` on the server of `serving`, in UTF8 as the scanner needs it. One that is there is left as
 * it is. Throws an OperatorError when it cannot be made.
 */
export async function createDatabase(serving: PostgresOptions, name: string): Promise<void> {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new OperatorError(
      `the name of the second database, ${name}, has more than ${MAX_NAME_BYTES} bytes. Give a shorter one with --new-database.`,
    );
  }
  try {
    const statement = `create database ${pg.escapeIdentifier(name)} encoding 'UTF8' template template0`;
    await connected(serving, (client) => client.query(statement));
  } catch (error) {
    if (codeOf(error) === EXISTS_ALREADY) return;
    if (codeOf(error) !== FORBIDDEN) throw explainWithoutWaiting(error, serving);
    throw new OperatorError(
      `user ${serving.user} may not create databases. As an administrator of PostgreSQL: ` +
        `createdb --owner ${serving.user} --encoding UTF8 --template template0 ${name}, and start this again.`,
      { cause: error },
    );
  }
}

/**
 * Lets everybody read the second database who may read the one that is served: its schema with all tables that are
 * there and those to come, and, where not everybody may, connecting to it. Gives the names of those roles.
 */
export async function copyReadRights(serving: PostgresOptions, second: PostgresOptions): Promise<string[]> {
  try {
    const { readers, connecting } = await connected(serving, rightsOf);
    await connected(second, async (client) => {
      await client.query(`create schema if not exists ${SCHEMA}`);
      for (const statement of [
        ...readers.map((role) => `grant usage on schema ${SCHEMA} to ${role}`),
        ...readers.map((role) => `grant select on all tables in schema ${SCHEMA} to ${role}`),
        ...readers.map((role) => `alter default privileges in schema ${SCHEMA} grant select on tables to ${role}`),
        ...connectRights(pg.escapeIdentifier(second.database), connecting),
      ])
        await client.query(statement);
    });
    return readers;
  } catch (error) {
    throw explainWithoutWaiting(error, second);
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
        where oid = to_regclass('${SCHEMA}.chain_tip') and privilege_type = 'SELECT' and grantee <> relowner
       union
       select grantee, 'readers'
         from pg_default_acl cross join lateral aclexplode(defaclacl)
        where defaclnamespace = to_regnamespace('${SCHEMA}') and defaclobjtype = 'r'
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

/** Nothing is to be said where everybody may connect, as it is with a new database. */
function connectRights(database: string, roles: readonly string[]): string[] {
  if (roles.includes('public')) return [];
  return [
    `revoke connect on database ${database} from public`,
    ...roles.map((role) => `grant connect on database ${database} to ${role}`),
  ];
}

async function connected<T>(postgres: PostgresOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openConnection(postgres, APPLICATION);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code;
