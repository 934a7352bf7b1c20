/** A scanner that runs in this process, with what it logs at hand. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Id } from '../../src/chain/types.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { type MonitorServer, startMonitor } from '../../src/scanner/monitor/monitor-thread.ts';
import { ScannerStatus } from '../../src/scanner/monitor/status.ts';
import { type Scanner, startScanner } from '../../src/scanner/scanner.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import type { InPlaceMigration } from '../../src/store/schema/in-place-migrations.ts';
import { requireRightIndex } from '../replay/replay.ts';
import type { Scope } from './file-scope.ts';
import { dumpTables } from './indexed-database.ts';
import { Scrape } from './prometheus.ts';
import { eventually } from './until.ts';

export interface ScannerSetup {
  readonly node: { readonly address: string; readonly network: Network };
  readonly postgres: PostgresOptions;
  readonly resync?: boolean;
  readonly bulkDistance?: number;
  readonly migrations?: readonly InPlaceMigration[];
  /** Serves `/metrics`, `/health` and `/ready` on a free port. */
  readonly isMonitored?: boolean;
}

/** The response of a scanner's `/health` or `/ready`. */
export interface Said {
  readonly status: string;
  readonly phase: string;
  readonly block_height?: number | null;
  readonly block_id?: string | null;
  readonly block_age_seconds?: number | null;
  readonly node_height?: number | null;
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export class RunningScanner {
  readonly logs: LogLine[] = [];
  readonly #setup: ScannerSetup;
  #scanner: Scanner | null = null;
  #monitor: MonitorServer | null = null;
  /** The port of the monitoring server, the same after a restart. */
  port = 0;

  private constructor(setup: ScannerSetup) {
    this.#setup = setup;
  }

  /** Starts a scanner, which is stopped at the end of the test. */
  static async start(t: Scope, setup: ScannerSetup): Promise<RunningScanner> {
    const running = new RunningScanner(setup);
    t.after(() => running.stop());
    await running.start();
    return running;
  }

  async start(): Promise<void> {
    const { node, postgres, resync = false, bulkDistance, migrations, isMonitored } = this.#setup;
    const status = new ScannerStatus();
    if (isMonitored) {
      this.#monitor = await startMonitor({ host: '127.0.0.1', port: this.port }, status, this.#logger());
      this.port = this.#monitor.address.port;
    }
    this.#scanner = startScanner({
      network: node.network,
      node: { address: node.address, auth: { type: 'none' }, idleTimeoutMs: 2_000 },
      postgres,
      resync,
      logger: this.#logger(),
      terminal: false,
      status,
      ...(bulkDistance === undefined ? {} : { bulkDistance }),
      ...(migrations === undefined ? {} : { migrations }),
    });
  }

  #logger() {
    return pino({ level: 'debug', base: null }, { write: (line) => void this.logs.push(JSON.parse(line)) });
  }

  /** Returns the response of `/health` or `/ready`. */
  async says(path: '/health' | '/ready'): Promise<{ readonly code: number; readonly said: Said }> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`);
    return { code: response.status, said: (await response.json()) as Said };
  }

  /** `/metrics` of a monitored one, by the names behind `chain_indexer_scanner_`. */
  async metrics(): Promise<(name: string) => number | undefined> {
    const scrape = await Scrape.of(this.port);
    return (name) => scrape.value(`chain_indexer_scanner_${name}`);
  }

  async stop(): Promise<void> {
    await this.#scanner?.stop();
    await this.#monitor?.close();
  }

  /** Returns the error with which the scanner ended by itself. */
  async ended(): Promise<OperatorError> {
    const end = this.#scanner!.done.then(
      () => assert.fail('the scanner ended without a reason'),
      (error: unknown) => error,
    );
    const error = await Promise.race([end, sleep(60_000, 'nothing', { ref: false })]);
    assert.ok(error instanceof OperatorError, `the scanner ended with ${String(error)}`);
    return error;
  }

  /** Waits until readers see this block as the tip, and the index as ready. */
  async reaches(id: Id, withinMs = 120_000): Promise<void> {
    const end = this.#scanner!.done.catch((error: unknown) => {
      throw new Error(`the scanner ended instead of reaching ${id}`, { cause: error });
    });
    await Promise.race([end, reached(this.#setup.postgres, id, withinMs, () => this.#lastLogs())]);
  }

  /** Waits for a line of the log with this text in its message or fields. */
  logged(text: string, withinMs = 120_000): Promise<LogLine> {
    const look = () => this.logs.find((line) => JSON.stringify(line).includes(text));
    return eventually(`a line of the log with "${text}"`, look, { withinMs, explain: () => this.#lastLogs() });
  }

  #lastLogs(): string {
    return `the last lines of the log:\n${this.logs
      .slice(-8)
      .map((line) => JSON.stringify(line))
      .join('\n')}`;
  }
}

/** Waits until readers see this block as the tip, and the index as ready. */
export async function reached(
  postgres: PostgresOptions,
  id: Id,
  withinMs = 120_000,
  explain: () => string = () => '',
): Promise<void> {
  const deadline = performance.now() + withinMs;
  let seen = 'nothing';
  while (performance.now() < deadline) {
    try {
      const isReached = await withClient(postgres, async (client) => {
        while (performance.now() < deadline) {
          const { rows } = await client.query<{ id: string; height: number; is_ready: boolean }>(
            `select encode(block_id, 'hex') as id, height, is_ready from chain_indexer.chain_tip`,
          );
          if (rows[0]?.id === id && rows[0].is_ready) return true;
          seen = JSON.stringify(rows[0]);
          await sleep(20);
        }
        return false;
      });
      if (isReached) return;
    } catch (error) {
      seen = String(error);
      await sleep(50);
    }
  }
  assert.fail(`the tip is not ${id} but ${seen}; ${explain()}`);
}

/** Runs a statement on a separate connection. */
export async function query<Row extends object>(postgres: PostgresOptions, sql: string, values: unknown[] = []) {
  return await withClient(postgres, (client) => client.query<Row>(sql, values));
}

export async function withClient<T>(postgres: PostgresOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { host, port, user, password, database } = postgres;
  const client = new pg.Client({ host, port, user, password, database });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set bytea_output = hex');
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Fails unless the index fits together in itself; gives all of its tables. */
export async function consistentDump(postgres: PostgresOptions, network: Network) {
  await requireRightIndex(postgres, network);
  return await withClient(postgres, (client) => dumpTables(client));
}
