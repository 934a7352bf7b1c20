/** The test bed: a PostgreSQL with the settings of production, and the programs on top of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { divideMemory } from '../src/config/process-limits.ts';
import { SCANNER_PREFIX } from '../src/config/scanner.ts';
import { type ResponseProfileName, WEB_SERVER_PREFIX } from '../src/config/web-server.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '../src/embedded/postgres.ts';
import { openPostgresConnection, type PostgresOptions } from '../src/store/postgres/connect.ts';
import { environmentVariables, postgresSettings } from '../src/up/stack.ts';
import type { LoadedServer } from './load-generator.ts';
import type { MemoryLimit } from './memory-limit.ts';
import { familyCpuSeconds } from './process-usage.ts';
import { Program, type ProgramOptions } from './watched-program.ts';

/** A web server may wait for a sync. */
const START_TIMEOUT_MS = 30 * 60_000;
const CONNECTIONS = 10;

/** The address of a devnet, or of a node that runs already: then the environment has the scanner's credentials. */
export type NodeToAsk = string | { readonly running: string };

/** What a program of ours is told: where to read blocks, and the database of their index. */
interface Indexed {
  readonly network: string;
  readonly node: NodeToAsk;
  readonly postgres: PostgresOptions;
}

export interface Devnet {
  readonly program: Program;
  readonly address: string;
}

export interface WebServer extends LoadedServer {
  readonly program: Program;
}

/** The scanner and the web server are those of `checkout`, if given, and leave CPU profiles in `profileDir`. */
interface BedOptions extends Pick<ProgramOptions, 'checkout' | 'profileDir'> {
  /** The directory of another PostgreSQL's programs. */
  readonly programs?: string | undefined;
  /** Binds PostgreSQL, the scanner and the web server. */
  readonly memory?: MemoryLimit | undefined;
}

export class Bed {
  readonly #directory: string;
  readonly #postgres: EmbeddedPostgres;
  readonly #programs = new Set<Program>();
  readonly #clients = new Set<pg.Client>();
  readonly #options: BedOptions;

  private constructor(directory: string, postgres: EmbeddedPostgres, options: BedOptions) {
    options.memory?.add('postgres', postgres.pid);
    this.#directory = directory;
    this.#postgres = postgres;
    this.#options = options;
  }

  static async open(options: BedOptions = {}): Promise<Bed> {
    const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-bench-'));
    try {
      const { postgres: memoryBytes } = options.memory?.shares ?? divideMemory(undefined, 1);
      const postgres = await startPostgres({ dataDir: directory, programs: options.programs, memoryBytes });
      return new Bed(directory, postgres, options);
    } catch (error) {
      options.memory?.close();
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  get memory(): MemoryLimit | undefined {
    return this.#options.memory;
  }

  /** Stops everything and removes the database. */
  async close(): Promise<void> {
    for (const program of [...this.#programs].reverse()) await this.stop(program);
    await Promise.allSettled([...this.#clients].map((client) => client.end()));
    await this.#postgres.stop();
    this.memory?.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Returns the result of `work`; rejects if PostgreSQL ends before that. */
  orEnd<T>(work: Promise<T>): Promise<T> {
    const failure = this.#postgres.ended.then((reason): never => {
      throw new Error(`PostgreSQL ended too early (${reason})`);
    });
    return Promise.race([work, failure]);
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
    const client = await openPostgresConnection(options, 'chain-indexer bench');
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

  startScanner(options: Indexed): Program {
    const shares = this.memory && { 'max-memory': `${this.memory.shares.scanner}` };
    const settings = { ...settingsOf(options), 'log-level': 'info', ...shares };
    return this.#start('scanner', { env: environmentVariables(SCANNER_PREFIX, settings) }, true);
  }

  /** Runs `verify --quick`, and returns how many seconds it took. */
  async verifyQuickly(options: Indexed): Promise<number> {
    const since = performance.now();
    const env = environmentVariables(SCANNER_PREFIX, settingsOf(options));
    const program = this.#start('verify', { args: ['--quick'], env }, false);
    await program.succeeds();
    this.#programs.delete(program);
    return (performance.now() - since) / 1_000;
  }

  /** Resolves when it answers. */
  async startWebServer(
    options: Indexed & {
      workers?: number;
      /** A free one unless given. */
      port?: number;
      contract?: ResponseProfileName;
      /** More options of the program. */
      settings?: Readonly<Record<string, string>>;
      /** The program; `uncached-web-server` makes every response anew. */
      program?: 'web-server' | 'uncached-web-server';
    },
  ): Promise<WebServer> {
    const port = options.port ?? (await freePort());
    const { workers = 1, contract = 'described', program: name = 'web-server' } = options;
    const settings = {
      ...settingsOf(options),
      'bind-address': `127.0.0.1:${port}`,
      workers: `${workers}`,
      contract,
      'log-level': 'warn',
      ...(this.memory && name === 'web-server' && { 'max-memory': `${this.memory.shares.webServer}` }),
      ...options.settings,
    };
    const program = this.#start(name, { env: environmentVariables(WEB_SERVER_PREFIX, settings) }, true);
    await program.orEnd(answers(`http://127.0.0.1:${port}/api/v2/chain/tip`));
    return { program, port, pid: program.pid };
  }

  async stop(program: Program, signal?: NodeJS.Signals): Promise<void> {
    this.#programs.delete(program);
    await program.stop(signal);
  }

  #start(name: string, options: ProgramOptions, isMeasured: boolean): Program {
    const program = new Program(name, { ...options, ...(isMeasured && this.#options) });
    this.#programs.add(program);
    if (name === 'scanner' || name === 'web-server') this.memory?.add(name, program.pid);
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

function settingsOf({ network, node, postgres }: Indexed): Record<string, string> {
  return { network, ...nodeSettings(node), ...postgresSettings(postgres) };
}

export function nodeSettings(address: NodeToAsk): Record<string, string> {
  if (typeof address !== 'string') return { 'node-rpc-address': address.running };
  return { 'node-rpc-address': address, 'node-rpc-username': 'bench', 'node-rpc-password': 'bench' };
}
