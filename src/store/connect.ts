/**
 * Connections to PostgreSQL. Values come back as the program holds them: `bytea` as lower-case hex, `bigint` columns
 * (heights, indexes, seconds: all below 2^53) as numbers, `numeric` (amounts, nonces) as `bigint`.
 */
import pg from 'pg';

export interface PostgresOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly database: string;
  readonly maxConnections: number;
}

/** Everything of ours lives in a schema of its own, so that a resync drops nothing else. */
export const SCHEMA = 'chain_indexer';

const BYTEA = 17;
const INT8 = 20;
const NUMERIC = 1700;

const parsers = new Map<number, (text: string) => unknown>([
  [BYTEA, (text) => text.slice(2)],
  [INT8, Number],
  [NUMERIC, BigInt],
]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text');
  },
};

function settings(options: PostgresOptions, applicationName: string): pg.ClientConfig {
  return {
    host: options.host,
    port: options.port,
    user: options.user,
    password: options.password,
    database: options.database,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: `-c search_path=${SCHEMA},public`,
    types,
  };
}

/** A pool of at most `maxConnections` connections; they are opened on demand. */
export function createPool(options: PostgresOptions, applicationName: string): pg.Pool {
  return new pg.Pool({ ...settings(options, applicationName), max: options.maxConnections });
}

/** One connection, not yet open. */
export function createClient(options: PostgresOptions, applicationName: string): pg.Client {
  return new pg.Client(settings(options, applicationName));
}

/** Hex as a parameter or COPY field of type `bytea`. */
export function bytea(hex: string): string {
  return `\\x${hex}`;
}
