/**
 * Connections to PostgreSQL. Values come back as the program holds them: `bytea` as lower-case hex, `bigint` columns
 * (heights, indexes, seconds: all below 2^53) as numbers, `numeric` (amounts, nonces) as `bigint`.
 */
import type { Socket } from 'node:net';
import pg from 'pg';

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
  /** {@link POSTGRES_TIMEOUTS} unless given. */
  readonly timeouts?: Partial<PostgresTimeouts> | undefined;
}

/** The schema that holds the index and nothing else, so that a resync drops nothing else. */
export const SCHEMA_NAME = 'chain_indexer';

/** PostgreSQL's numbers of column types. */
const TYPE_OIDS = { bytea: 17, bigint: 20, smallint: 21, integer: 23, numeric: 1700 } as const;

const parsers = new Map<number, (text: string) => unknown>([
  [TYPE_OIDS.bytea, (text) => text.slice(2)],
  [TYPE_OIDS.bigint, Number],
  [TYPE_OIDS.smallint, Number],
  [TYPE_OIDS.integer, Number],
  [TYPE_OIDS.numeric, BigInt],
]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text');
  },
};

/** The settings of every connection. */
function clientConfig(options: PostgresOptions, applicationName: string): pg.ClientConfig {
  return {
    host: options.host,
    port: options.port,
    user: options.user,
    password: options.password,
    database: options.database,
    application_name: applicationName,
    connectionTimeoutMillis: options.timeouts?.connectMs ?? POSTGRES_TIMEOUTS.connectMs,
    keepAlive: true,
    // The operating system's default is two hours until it notices that the server's machine is gone.
    keepAliveInitialDelayMillis: 10_000,
    // What the parsers above expect, whatever is set for the role or the server. Only our schema is searched: in another
    // one somebody could define functions that our statements would call instead of PostgreSQL's own, as our user.
    options: `-c search_path=${SCHEMA_NAME} -c bytea_output=hex`,
    types,
  };
}

/** A connection that is not open yet. `lockMs`: how long a statement waits for a lock, in milliseconds. */
export function createPostgresClient(options: PostgresOptions, applicationName: string, lockMs?: number): pg.Client {
  const config = clientConfig(options, applicationName);
  return new pg.Client(lockMs === undefined ? config : { ...config, lock_timeout: lockMs });
}

/** An open connection for a few short statements. Rejects with the driver's error. */
export async function openPostgresConnection(options: PostgresOptions, applicationName: string): Promise<pg.Client> {
  const client = createPostgresClient(options, applicationName);
  client.on('error', () => {});
  try {
    await client.connect();
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
