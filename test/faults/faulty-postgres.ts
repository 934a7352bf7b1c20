/** A PostgreSQL on a small file system, kept running as a supervisor does: it is stopped, killed, and its disk filled. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../../bench/process-usage.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded/postgres.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { query } from '../support/running-scanner.ts';
import { eventually } from '../support/until.ts';

const DISK_BYTES = 600_000_000;
/**
 * If its disk is full as it starts, PostgreSQL 18 sometimes waits for a checkpoint that nobody begins for a quarter of an
 * hour.
 */
const MAX_START_MS = 30_000;
/**
 * If one of its processes has just died, PostgreSQL 18 sometimes never ends, and refuses everybody as it is shutting down:
 * supervisors kill it then.
 */
const MAX_STOP_MS = 20_000;
const SETTINGS = {
  max_connections: 100,
  shared_buffers: '32MB',
  min_wal_size: '32MB',
  max_wal_size: '64MB',
  fsync: 'off',
};

export class FaultyPostgres {
  /** Whether its disk is its own, so that it can be filled. */
  readonly hasDisk: boolean;
  /** How often it or a process of it was killed. */
  kills = 0;
  readonly #directory: string;
  readonly #port: number;
  #server: EmbeddedPostgres | null = null;
  #isWanted = true;
  readonly #running: Promise<void>;

  private constructor(directory: string, hasDisk: boolean, port: number) {
    this.#directory = directory;
    this.hasDisk = hasDisk;
    this.#port = port;
    this.#running = this.#keepRunning();
  }

  static async open(): Promise<FaultyPostgres> {
    const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-faults-'));
    const hasDisk = isMounted(directory);
    await chmod(directory, 0o711);
    const postgres = new FaultyPostgres(directory, hasDisk, await freePort());
    while (postgres.#server === null) await Promise.race([sleep(50), postgres.#running]);
    return postgres;
  }

  async close(): Promise<void> {
    this.#isWanted = false;
    await this.#server?.stop();
    await this.#running;
    if (this.hasDisk) execFileSync('umount', [this.#directory]);
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** While it runs. */
  get pid(): number {
    return this.#server!.pid;
  }

  /** Where it listens, as long as it runs. */
  options(database: string): PostgresOptions {
    const { options, address } = this.#server!;
    return { ...options, host: address, port: this.#port, database, maxConnections: 5 };
  }

  async createDatabase(name: string): Promise<PostgresOptions> {
    await query(this.options('postgres'), `create database ${name}`);
    return this.options(name);
  }

  async dropDatabase(name: string): Promise<void> {
    await query(this.options('postgres'), `drop database ${name} with (force)`);
  }

  /** SIGINT: as an operator restarts it; SIGQUIT: without a checkpoint; SIGKILL: as when the machine has no memory left. */
  restart(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void {
    const server = this.#server;
    if (server === null) return;
    process.kill(server.pid, signal);
    if (signal !== 'SIGINT') return void this.kills++;
    const overdue = setTimeout(() => {
      process.kill(server.pid, 'SIGKILL');
      this.kills++;
    }, MAX_STOP_MS);
    void server.ended.finally(() => clearTimeout(overdue));
  }

  /** One of its processes that serve programs dies, whereupon it restarts all of them. */
  async killBackend(): Promise<void> {
    const runningPid = async () => {
      for (const pid of childrenOf(this.#server?.pid ?? 0)) {
        const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        if (/ idle| SELECT|COMMIT| COPY/.test(title)) return pid;
      }
      return undefined;
    };
    process.kill(await eventually('a process that serves a program', runningPid), 'SIGKILL');
    this.kills++;
  }

  /** Gives or takes back the room on its disk. */
  async fillDisk(): Promise<void> {
    const { bsize, bavail } = await statfs(this.#directory);
    execFileSync('fallocate', ['--length', `${bsize * bavail}`, this.#ballast], { stdio: 'ignore' });
  }

  async emptyDisk(): Promise<void> {
    // Another fault of this kind, which overlaps, may have done it.
    await rm(this.#ballast, { force: true });
  }

  get #ballast(): string {
    return join(this.#directory, 'ballast');
  }

  async #killWhatStarts(): Promise<void> {
    const pid = Number.parseInt(await readFile(join(this.#directory, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGKILL');
    this.kills++;
  }

  async #keepRunning(): Promise<void> {
    const options = { dataDir: this.#directory, port: this.#port, settings: SETTINGS };
    for (let hasStarted = false; this.#isWanted; ) {
      // On a busy machine its files may not be there yet.
      const overdue = setTimeout(() => void this.#killWhatStarts().catch(() => {}), MAX_START_MS);
      try {
        this.#server = await startPostgres(options).finally(() => clearTimeout(overdue));
        hasStarted = true;
        await this.#server.ended;
      } catch (error) {
        if (!hasStarted) throw error;
        // Its disk is full.
        await sleep(300);
      }
    }
  }
}

function isMounted(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
