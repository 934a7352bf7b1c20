/** A primary and streaming replicas, of a distribution's PostgreSQL, or of the embedded one where there is none. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { findPostgresBinaries } from '../src/embedded/binaries.ts';
import { runToEnd, spawnOptionsFor } from '../src/embedded/child-processes.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { anyNamedUser } from '../src/embedded/unprivileged-user.ts';
import { type PostgresOptions, withPostgresConnection } from '../src/store/postgres/connect.ts';

/** Collects what is to be done at the end. */
interface Scope {
  after(end: () => unknown): void;
}

export const PROGRAMS = process.env.TEST_REPLICATION_PROGRAMS ?? '/usr/lib/postgresql/15/bin';

/** For the `skip` of a test that needs more of them than the server. */
export const noReplication: string | false =
  !existsSync(join(PROGRAMS, 'pg_basebackup')) &&
  `there is no pg_basebackup in ${PROGRAMS} (apt-get install postgresql-15)`;

/** PostgreSQL does not run as root, and initdb needs a user with a name. */
const USER = process.getuid?.() === 0 ? await anyNamedUser() : undefined;
/** Runs a program as this user. */
export const asPostgres = spawnOptionsFor(USER);
const NAME = 'postgres';
const START_TIMEOUT_MS = 60_000;
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = '32MB'
max_wal_size = '256MB'
wal_level = replica
hot_standby = on
wal_receiver_status_interval = '1s'
wal_retrieve_retry_interval = '200ms'
fsync = off
`;

async function run(program: string, ...args: string[]): Promise<void> {
  const { code, output } = await runToEnd(program, args, USER);
  if (code !== 0) throw new Error(`${program}: ${output}`);
}

export class PostgresServer {
  readonly port: number;
  readonly directory: string;
  readonly #program: string;
  #process: ChildProcess | null = null;
  #log = '';

  constructor(directory: string, port: number, program = join(PROGRAMS, 'postgres')) {
    this.directory = directory;
    this.port = port;
    this.#program = program;
  }

  get options(): PostgresOptions {
    return { host: '127.0.0.1', port: this.port, user: NAME, database: NAME, maxConnections: 4 };
  }

  /** The first of its processes, for their processor time. */
  get pid(): number {
    return this.#process!.pid!;
  }

  async start(): Promise<void> {
    const child = spawn(this.#program, ['-D', this.directory, '-p', `${this.port}`], {
      ...asPostgres,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (text) => {
        this.#log = (this.#log + text).slice(-4_000);
      });
    }
    for (const deadline = performance.now() + START_TIMEOUT_MS; ; await sleep(20)) {
      if (await this.#answers()) return;
      if (performance.now() > deadline) throw new Error(`PostgreSQL does not answer:\n${this.#log}`);
    }
  }

  #answers(): Promise<boolean> {
    return this.query('select 1').then(
      () => true,
      () => false,
    );
  }

  /** Ends it without a shutdown, as a crash does. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    this.#process = null;
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    // Immediate shutdown: the postmaster kills its children.
    child.kill('SIGQUIT');
    await ended;
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows are what the query says
  async query<Row extends pg.QueryResultRow = any>(text: string): Promise<Row[]> {
    return withPostgresConnection(this.options, 'replicated', async (client) => (await client.query<Row>(text)).rows);
  }

  promote(): Promise<unknown> {
    return this.query('select pg_promote(true, 60)');
  }
}

/** Starts a primary and so many replicas. They end with the test. */
export async function startReplicated(
  t: Scope,
  replicas: number,
): Promise<{ readonly primary: PostgresServer; readonly replicas: readonly PostgresServer[] }> {
  const home = await mkdtemp(join(tmpdir(), 'chain-indexer-replication-'));
  await chmod(home, 0o755);
  const all: PostgresServer[] = [];
  t.after(async () => {
    await Promise.all(all.map((server) => server.kill()));
    await rm(home, { recursive: true, force: true });
  });
  const directory = noReplication ? undefined : PROGRAMS;
  const programs = await findPostgresBinaries({ directory, copyTo: join(home, 'programs'), user: USER });
  const create = async (name: string): Promise<PostgresServer> => {
    const directory = join(home, name);
    await mkdir(directory, { mode: 0o700 });
    if (USER !== undefined) await chown(directory, USER.uid, USER.gid);
    const server = new PostgresServer(directory, await freePort(), programs.postgres);
    all.push(server);
    return server;
  };
  const primary = await create('primary');
  const how = ['--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'];
  await run(programs.initdb, '--pgdata', primary.directory, '--username', NAME, ...how);
  await appendFile(join(primary.directory, 'postgresql.conf'), SETTINGS);
  // A copy of one that was never started is its replica: all of its write-ahead log is still there.
  for (let i = 1; i <= replicas; i++) {
    const replica = await create(`replica-${i}`);
    await run('cp', '-R', `${primary.directory}/.`, replica.directory);
    const from = `host=127.0.0.1 port=${primary.port} user=${NAME}`;
    await appendFile(join(replica.directory, 'postgresql.conf'), `primary_conninfo = '${from}'\n`);
    await writeFile(join(replica.directory, 'standby.signal'), '');
  }
  for (const server of all) await server.start();
  return { primary, replicas: all.slice(1) };
}

/** The options for several servers, in this order of preference. */
export function optionsFor(...servers: readonly PostgresServer[]): PostgresOptions {
  const [first, ...others] = servers.map(({ options }) => options);
  return { ...first!, others };
}
