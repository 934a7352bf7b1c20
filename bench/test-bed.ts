/** The test bed: a PostgreSQL with the settings of production, and the programs on top of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { environmentName } from '../src/config/option.ts';
import { SCANNER_PREFIX } from '../src/config/scanner.ts';
import { type ResponseProfileName, WEB_SERVER_PREFIX } from '../src/config/web-server.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '../src/embedded/postgres.ts';
import { createPostgresClient, type PostgresOptions } from '../src/store/postgres/connect.ts';
import type { LoadedServer } from './load.ts';
import { familyCpuSeconds } from './process-usage.ts';
import { Program, type ProgramOptions } from './watched-program.ts';

const START_TIMEOUT_MS = 30_000;
const CONNECTIONS = 10;

export interface Devnet {
  readonly program: Program;
  readonly address: string;
}

export interface WebServer extends LoadedServer {
  readonly program: Program;
}

export class Bed {
  readonly #directory: string;
  readonly #postgres: EmbeddedPostgres;
  readonly #programs = new Set<Program>();
  readonly #clients = new Set<pg.Client>();
  readonly #programOptions: Pick<ProgramOptions, 'checkout' | 'profileDir'>;

  private constructor(directory: string, postgres: EmbeddedPostgres, programOptions: ProgramOptions) {
    this.#directory = directory;
    this.#postgres = postgres;
    this.#programOptions = programOptions;
  }

  /**
   * `programs`: the directory of another PostgreSQL's programs. `checkout`: another one whose scanner and web server are
   * started. `profileDir`: they leave CPU profiles there.
   */
  static async open({
    programs,
    ...programOptions
  }: { programs?: string | undefined } & Pick<ProgramOptions, 'checkout' | 'profileDir'> = {}): Promise<Bed> {
    const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-bench-'));
    try {
      return new Bed(directory, await startPostgres({ dataDir: directory, programs }), programOptions);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Stops everything and removes the database. */
  async close(): Promise<void> {
    for (const program of [...this.#programs].reverse()) await this.stop(program);
    await Promise.allSettled([...this.#clients].map((client) => client.end()));
    await this.#postgres.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Files that belong to the measuring; they go away with it. */
  get directory(): string {
    return this.#directory;
  }

  /** CPU seconds of PostgreSQL so far, all of its processes. */
  postgresCpuSeconds(): number {
    return familyCpuSeconds(this.#postgres.pid);
  }

  async postgresVersion(): Promise<string> {
    const client = await this.connect({ ...this.#postgres.options, database: 'postgres' });
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    await this.disconnect(client);
    return rows[0]!.server_version;
  }

  /** A new, empty database. */
  async createDatabase(name: string): Promise<PostgresOptions> {
    const { maxConnections: _, ...server } = this.#postgres.options;
    const options = { ...server, database: name, maxConnections: CONNECTIONS };
    const administrator = await this.connect({ ...options, database: 'postgres' });
    await administrator.query(`create database ${name}`);
    await this.disconnect(administrator);
    return options;
  }

  async connect(options: PostgresOptions): Promise<pg.Client> {
    const client = createPostgresClient(options, 'chain-indexer bench');
    client.on('error', () => {});
    await client.connect();
    this.#clients.add(client);
    return client;
  }

  async disconnect(client: pg.Client): Promise<void> {
    this.#clients.delete(client);
    await client.end();
  }

  /** Serves a chain file as the node does; resolves when it listens. */
  async startDevnet(args: readonly string[]): Promise<Devnet> {
    const program = this.#start('devnet', { args: [...args, '--rpc-bind-address=127.0.0.1:0'] }, false);
    const address = await program.line((line) => {
      const found = /"msg":"devnet is listening","address":"([^"]+)"/.exec(line);
      return found?.[1];
    });
    return { program, address };
  }

  startScanner(options: { network: string; node: string; postgres: PostgresOptions }): Program {
    const { network, node, postgres } = options;
    const settings = { network, ...nodeSettings(node), ...postgresSettings(postgres), 'log-level': 'info' };
    return this.#start('scanner', { env: environment(SCANNER_PREFIX, settings) }, true);
  }

  /** Resolves when it answers. */
  async startWebServer(options: {
    network: string;
    node: string;
    postgres: PostgresOptions;
    workers?: number;
    /** A free one unless given. */
    port?: number;
    contract?: ResponseProfileName;
    /** More options of the program. */
    settings?: Readonly<Record<string, string>>;
    /** The program; `uncached-web-server` makes every response anew. */
    program?: 'web-server' | 'uncached-web-server';
  }): Promise<WebServer> {
    const port = options.port ?? (await freePort());
    const { network, node, postgres, workers = 1, contract = 'described', program: name = 'web-server' } = options;
    const settings = {
      network,
      ...nodeSettings(node),
      ...postgresSettings(postgres),
      'bind-address': `127.0.0.1:${port}`,
      workers: `${workers}`,
      contract,
      'log-level': 'warn',
      ...options.settings,
    };
    const program = this.#start(name, { env: environment(WEB_SERVER_PREFIX, settings) }, true);
    await program.orEnd(answers(`http://127.0.0.1:${port}/api/v2/chain/tip`));
    return { program, port, pid: program.pid };
  }

  async stop(program: Program, signal?: NodeJS.Signals): Promise<void> {
    this.#programs.delete(program);
    await program.stop(signal);
  }

  #start(name: string, options: ProgramOptions, isMeasured: boolean): Program {
    const program = new Program(name, { ...options, ...(isMeasured && this.#programOptions) });
    this.#programs.add(program);
    return program;
  }
}

async function answers(url: string): Promise<void> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; ; await sleep(20)) {
    const response = await fetch(url).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (performance.now() > deadline) throw new Error(`the web server gives no answer to ${url}`);
  }
}

export function nodeSettings(address: string): Record<string, string> {
  return { 'node-rpc-address': address, 'node-rpc-username': 'bench', 'node-rpc-password': 'bench' };
}

export function postgresSettings({ host, port, user, password, database }: PostgresOptions): Record<string, string> {
  return {
    'postgres-host': host,
    'postgres-port': `${port}`,
    'postgres-user': user,
    ...(password === undefined ? {} : { 'postgres-password': password }),
    'postgres-database': database,
  };
}

export function environment(prefix: string, settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [environmentName(prefix, name), value]));
}
