/**
 * Fresh databases for tests: `await testDatabase(t)`. The server is, in this order, the one of TEST_POSTGRES_URL, the
 * one that the test run started for all its files (see global-setup.ts), or one of this process, started at the first
 * call. A server of ours ends and removes its files with the process that started it, however that ends.
 */
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded/postgres.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { memoryDirectory } from './temporary-directory.ts';

export const TEST_POSTGRES_URL = 'TEST_POSTGRES_URL';
/** The directory of the programs that a server of ours is made of, instead of the embedded ones. */
const TEST_POSTGRES_PROGRAMS = 'TEST_POSTGRES_PROGRAMS';

/** Several test files use the server at the same time, and none needs its data after a crash. */
const SETTINGS = {
  max_connections: 600,
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '1h',
};

let server: Promise<URL> | undefined;
let administrators: pg.Pool | undefined;

/** Connection options of a new database, a copy of `template` or empty; it is dropped when the test (or suite) `t` is over. */
export async function testDatabase(t: Pick<TestContext, 'after'>, template = 'template0'): Promise<PostgresOptions> {
  server ??= findServer();
  const url = await server;
  const database = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  // Copying its files is cheaper than writing its pages to the log one by one.
  await (await administrator()).query(`create database ${database} template ${template} strategy file_copy`);
  t.after(async () => (await administrator()).query(`drop database if exists ${database} with (force)`));
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    maxConnections: 5,
  };
}

/**
 * Returns the connection options of a new role without rights in a test's database. The role is dropped after the
 * database and its objects there.
 */
export async function testRole(t: Pick<TestContext, 'after'>, postgres: PostgresOptions): Promise<PostgresOptions> {
  const user = `role_${process.pid}_${randomBytes(4).toString('hex')}`;
  await (await administrator()).query(`create role ${user} login password 'secret'`);
  t.after(async () => (await administrator()).query(`drop role ${user}`));
  return { ...postgres, user, password: 'secret' };
}

/** A PostgreSQL of its own, in a temporary directory that goes away with it. */
export async function startTestServer(): Promise<EmbeddedPostgres & { readonly url: string }> {
  const dataDir = await memoryDirectory('chain-indexer-test-');
  const postgres = await startPostgres({
    dataDir,
    temporary: true,
    settings: SETTINGS,
    programs: process.env[TEST_POSTGRES_PROGRAMS],
  });
  const { user, password, port } = postgres.options;
  return { ...postgres, url: `postgres://${user}:${password}@${postgres.address}:${port}/postgres` };
}

async function findServer(): Promise<URL> {
  const given = process.env[TEST_POSTGRES_URL];
  return new URL(given ?? (await startTestServer()).url);
}

/** Connected to the server's own database; does not keep the process alive. */
async function administrator(): Promise<pg.Pool> {
  server ??= findServer();
  const url = await server;
  if (administrators === undefined) {
    administrators = new pg.Pool({ connectionString: url.href, max: 2, allowExitOnIdle: true });
    administrators.on('error', () => {});
  }
  return administrators;
}
