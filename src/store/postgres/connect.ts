/** Connections to PostgreSQL. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { POSTGRES_TYPES } from './column-values.ts';

/** Timeouts of a connection to PostgreSQL, in milliseconds. */
export interface PostgresTimeouts {
  /** Maximum time to open the connection. */
  readonly connectMs: number;
  /** Maximum wait for a lock that another session holds; then the statement fails, and is tried again later. */
  readonly lockMs: number;
  /** Maximum wait for the lock of another scanner: PostgreSQL needs half a minute to notice that its machine is gone. */
  readonly writerMs: number;
  /** Time without a byte sent or received during a statement, after which the stall is reported, and reported again. */
  readonly stallMs: number;
  /** Time without a byte sent or received during a statement, after which the connection is closed. */
  readonly giveUpMs: number;
}

export const POSTGRES_TIMEOUTS: PostgresTimeouts = {
  connectMs: 10_000,
  lockMs: 30_000,
  writerMs: 40_000,
  stallMs: 30_000,
  giveUpMs: 600_000,
};

export interface PostgresServer {
  readonly host: string;
  readonly port: number;
}

export interface PostgresOptions extends PostgresServer {
  /** More servers with the same database; see `hosts.ts`. A connection is opened to one of them. */
  readonly others?: readonly PostgresServer[] | undefined;
  readonly user: string;
  readonly password?: string | undefined;
  readonly database: string;
  readonly maxConnections: number;
  /** Encryption, with or without a proof of the server's identity; none over a Unix socket, and unless given. */
  readonly tls?: 'verified' | 'unverified' | undefined;
  /** {@link POSTGRES_TIMEOUTS} unless given. */
  readonly timeouts?: Partial<PostgresTimeouts> | undefined;
}

/**
 * The advisory locks, of a database each: of its only scanner, of two starts that prepare roles at once, and of the only session
 * that adds something in place.
 */
export const ADVISORY_LOCKS = { writer: 0x4d4c_6978, roles: 0x4d4c_6979, builder: 0x4d4c_697a } as const;

/** The lock that the scanner of the database holds; no row if there is none. */
export const WRITER_LOCK_SQL = `
      select pid from pg_locks
      where locktype = 'advisory' and granted and classid = 0 and objid = ${ADVISORY_LOCKS.writer}
        and pg_locks.database = (select oid from pg_database where datname = current_database())`;

/** The schema that holds the index and nothing else, so that a resync drops nothing else. */
export const SCHEMA_NAME = 'chain_indexer';

/**
 * What decides where tables are, and what statements and their results mean. Roles, databases and poolers may have other
 * values. Only our schema is searched: in another one somebody could define functions that our statements would call instead
 * of PostgreSQL's own, as our user.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // First, because it decides how the next one is stored.
  quote_all_identifiers: 'off',
  search_path: SCHEMA_NAME,
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  // A policy that hides rows is an error.
  row_security: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
};

/**
 * One message, after connecting: a pooler may drop settings that are sent while connecting. `reset`: a pooler may hand on a
 * connection with the settings of its last user. An administrator may have set time limits and plans for other programs;
 * the first of these limits must not end this message on a busy machine.
 */
const sessionSql = (lockMs: number): string => `
  set statement_timeout = 0; reset all; set statement_timeout = 0;
  ${Object.entries(SETTINGS)
    .map(([name, value]) => `set ${name} = '${value}';`)
    .join(' ')}
  select set_config(name, boot_val, false) from pg_settings
   where name ~ '^enable_|_timeout$' and context = 'user' and setting <> boot_val;
  set lock_timeout = ${lockMs}`;

const CHECK = `
  select pg_backend_pid() as pid, string_agg(format('%s = %s', name, current_setting(name)), ', ')
           filter (where current_setting(name) <> wanted) as wrong
    from (values ${Object.entries(SETTINGS)
      .map(([name, value]) => `('${name}', '${value}')`)
      .join(', ')}) as settings (name, wanted)`;

/** A connection that is not open yet: `connectPostgres` opens it. `pipeline`: send statements without waiting for those before. */
export function createPostgresClient(
  options: PostgresOptions,
  applicationName: string,
  { pipeline = false }: { readonly pipeline?: boolean } = {},
): pg.Client {
  return new pg.Client({
    pipeline,
    host: options.host,
    port: options.port,
    user: options.user,
    password: options.password,
    database: options.database,
    application_name: applicationName,
    connectionTimeoutMillis: connectMsOf(options),
    // Always given, so that the driver does not read PGSSLMODE, and NODE_TLS_REJECT_UNAUTHORIZED does not weaken it.
    ssl: options.tls !== undefined &&
      !options.host.startsWith('/') && { rejectUnauthorized: options.tls === 'verified' },
    keepAlive: true,
    // The operating system's default is two hours until it notices that the server's machine is gone.
    keepAliveInitialDelayMillis: 10_000,
    types: POSTGRES_TYPES,
  });
}

const connectMsOf = ({ timeouts }: PostgresOptions) => timeouts?.connectMs ?? POSTGRES_TIMEOUTS.connectMs;

/**
 * Opens a connection, with the same settings whatever its role, its database and a pooler have. `lockMs`: how long a statement
 * waits for a lock, in milliseconds. Rejects with the driver's error, or an OperatorError if a pooler does not keep settings.
 */
export async function connectPostgres(client: pg.Client, options: PostgresOptions, lockMs = 0): Promise<void> {
  await client.connect();
  // A pooler takes a connection at once, and may then wait for PostgreSQL.
  const timer = setTimeout(() => breakPostgresConnection(client, new Error('timeout expired')), connectMsOf(options));
  try {
    await client.query(sessionSql(lockMs));
    const { rows } = await client.query<{ pid: number; wrong: string | null }>(CHECK);
    const { pid, wrong } = rows[0]!;
    if (wrong) throw poolerError(options, `settings do not last (${wrong})`);
    const isPooled = pid !== (client as unknown as { readonly processID: number }).processID;
    if (isPooled && (await isPooledByTransaction(client, options)))
      throw poolerError(options, 'it gives each transaction another connection');
  } finally {
    clearTimeout(timer);
  }
}

/** A busy pool may hide its mode once, hardly three times. */
const POOL_MODE_ATTEMPTS = 3;
/**
 * How long to wait for the second session. A session pool without a free connection never answers; a transaction pool lends the
 * first session's.
 */
const POOL_MODE_MS = 1_000;

/**
 * Does a pooler give each transaction any connection to PostgreSQL? Then it gives the idle one of `client` to a transaction of
 * a second client, and afterwards another one to `client`. False if that cannot be seen.
 */
async function isPooledByTransaction(client: pg.Client, options: PostgresOptions): Promise<boolean> {
  const second = createPostgresClient(options, 'chain-indexer (pool mode)');
  second.on('error', () => {});
  const timer = setTimeout(() => breakPostgresConnection(second), POOL_MODE_MS);
  try {
    await second.connect();
    for (let attempt = 0; attempt < POOL_MODE_ATTEMPTS; attempt++) {
      const before = await serverProcessOf(client);
      await second.query('begin');
      if ((await serverProcessOf(second)) === before || (await serverProcessOf(client)) !== before) return true;
      await second.query('rollback');
    }
    return false;
  } catch (error) {
    // PgBouncer's words in the mode in which each statement may get another connection.
    return /statement pooling/.test(String(error));
  } finally {
    clearTimeout(timer);
    void closePostgresConnection(second);
  }
}

async function serverProcessOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}

function poolerError({ host, port }: PostgresOptions, what: string): OperatorError {
  return new OperatorError(
    `the connection pooler at ${host}:${port} cannot be used: ${what}, so that settings, locks and prepared statements ` +
      'would be lost; nothing was changed. Let it pool sessions (PgBouncer: pool_mode=session), or connect to PostgreSQL itself.',
  );
}

/** An open connection for a few short statements. Rejects as `connectPostgres` does. */
export async function openPostgresConnection(options: PostgresOptions, applicationName: string): Promise<pg.Client> {
  const client = createPostgresClient(options, applicationName);
  client.on('error', () => {});
  try {
    await connectPostgres(client, options);
  } catch (error) {
    // Otherwise the server waits a minute for a missing password, and the open socket keeps the process alive.
    breakPostgresConnection(client);
    throw error;
  }
  return client;
}

/** Does something with a connection of its own. Rejects with the driver's error. */
export async function withPostgresConnection<T>(
  options: PostgresOptions,
  applicationName: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await openPostgresConnection(options, applicationName);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Closes a connection; breaks it after {@link CLOSE_MS} when the server does not answer. */
export async function closePostgresConnection(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => breakPostgresConnection(client), CLOSE_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

const CLOSE_MS = 2_000;

/** Breaks a connection at once; a statement in flight fails, with `reason` if given. */
export function breakPostgresConnection(client: pg.Client, reason?: Error): void {
  postgresSocketOf(client).destroy(reason);
}

/** The socket of an open connection, which the driver's types leave out. */
export function postgresSocketOf(client: pg.Client): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/** Hex as a parameter or COPY field of type `bytea`. */
export function bytea(hex: string): string {
  return `\\x${hex}`;
}
