/** Builds the keys and indexes that are missing at the end of a bulk sync: several at a time, resumable after each. */
import type pg from 'pg';
import {
  breakConnection,
  closeConnection,
  openConnectionWithRetry,
  type PostgresOptions,
  SCHEMA,
} from '../postgres/connect.ts';
import { keyAndIndexStatements } from './schema.ts';

/** A build sorts in this much memory. */
const BUILD_MEMORY = '256MB';
/** The planner's statistics target of a column: this many values, from 300 times as many rows. */
const SAMPLES = 10;
export interface IndexBuildOptions {
  /** For a query before that. */
  readonly client: pg.Client;
  readonly postgres: PostgresOptions;
  /** Builds at the same time, each on a connection of its own. */
  readonly connections: number;
  readonly signal: AbortSignal;
  onBuilt(built: number, all: number): void;
  /** Told again and again while a build takes long; seconds. */
  onSilence?: ((seconds: number) => void) | undefined;
}

/**
 * Builds what is missing, and gathers the planner's first statistics, from small samples; autovacuum refines them
 * later. An index that was being built when the program died is not there, and is built again. Ends at once when
 * `signal` is aborted, and after the first failure; nothing goes on behind its back.
 */
export async function buildIndexes(options: IndexBuildOptions): Promise<void> {
  const { postgres, connections, signal, onBuilt, onSilence } = options;
  const indexes = await keyAndIndexStatements();
  const statements = [...indexes, ...(await analyzeStatements(options.client))];
  const failing = new AbortController();
  const stopping = AbortSignal.any([signal, failing.signal]);
  let built = 0;
  const work = async (): Promise<void> => {
    const client = await openConnectionWithRetry(postgres, 'chain-indexer index build', {
      givesUp: false,
      ...(onSilence === undefined ? {} : { onSilence }),
    });
    const stop = (): void => breakConnection(client);
    stopping.addEventListener('abort', stop, { once: true });
    try {
      await client.query(`set maintenance_work_mem = '${BUILD_MEMORY}'; set max_parallel_maintenance_workers = 0;
         set synchronous_commit = off; set default_statistics_target = ${SAMPLES}`);
      for (let next = statements.shift(); next !== undefined; next = statements.shift()) {
        stopping.throwIfAborted();
        await client.query(next);
        if (++built <= indexes.length) onBuilt(built, indexes.length);
      }
    } catch (error) {
      failing.abort(error);
    } finally {
      stopping.removeEventListener('abort', stop);
      await closeConnection(client);
    }
  };
  await Promise.all(Array.from({ length: connections }, () => work().catch((error) => failing.abort(error))));
  signal.throwIfAborted();
  failing.signal.throwIfAborted();
}

/** One for each table, the largest first. */
async function analyzeStatements(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select quote_ident(relname) as table from pg_class
      where relnamespace = $1::regnamespace and relkind = 'r' order by pg_relation_size(oid) desc`,
    [SCHEMA],
  );
  return rows.map(({ table }) => `analyze ${table}`);
}
