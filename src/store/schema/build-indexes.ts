/** Builds the missing keys and indexes at the end of a bulk sync: several at a time; after a stop it goes on where it was. */
import type pg from 'pg';
import { type PostgresOptions, SCHEMA_NAME } from '../postgres/connect.ts';
import { withLongStatementConnection } from '../postgres/long-statement-connection.ts';
import { keyAndIndexStatements } from './create-and-drop-tables.ts';
import type { InPlaceMigration } from './in-place-migrations.ts';

/** Statistics target: ANALYZE keeps this many values of a column, from a sample of 300 times as many rows. */
const STATISTICS_TARGET = 10;

interface IndexBuildOptions {
  /** Connection for a query before building. */
  readonly client: pg.Client;
  readonly postgres: PostgresOptions;
  /** The number of builds at a time, each on a connection of its own. */
  readonly connections: number;
  /** Memory in PostgreSQL for the sorting of one build. */
  readonly buildMegabytes: number;
  readonly migrations: readonly InPlaceMigration[];
  readonly signal: AbortSignal;
  /** Called after each build with the number of builds done and to do. */
  onBuilt(built: number, all: number): void;
  /** Called repeatedly while a build makes no progress, with the seconds since the last byte from PostgreSQL. */
  onStall?: ((seconds: number) => void) | undefined;
}

/**
 * Builds the missing keys and indexes, and runs ANALYZE with small samples; autovacuum refines the statistics later. An
 * index that was being built when the process died does not exist, and is built again. When `signal` is aborted, or a build
 * fails, it stops all builds before it throws.
 */
export async function buildIndexes(options: IndexBuildOptions): Promise<void> {
  const { postgres, connections, buildMegabytes, migrations, signal, onBuilt, onStall } = options;
  const indexes = keyAndIndexStatements(migrations);
  const statements = [...indexes, ...(await analyzeStatements(options.client))];
  const failing = new AbortController();
  const stopping = AbortSignal.any([signal, failing.signal]);
  let built = 0;
  const watching = { givesUp: false, signal: stopping, ...(onStall && { onStall }) };
  const work = (): Promise<void> =>
    withLongStatementConnection(postgres, 'chain-indexer index build', watching, async (client) => {
      await client.query(`set maintenance_work_mem = '${buildMegabytes}MB'; set max_parallel_maintenance_workers = 0;
         set synchronous_commit = off; set default_statistics_target = ${STATISTICS_TARGET}`);
      for (let next = statements.shift(); next !== undefined; next = statements.shift()) {
        stopping.throwIfAborted();
        await client.query(next);
        if (++built <= indexes.length) onBuilt(built, indexes.length);
      }
    });
  await Promise.all(Array.from({ length: connections }, () => work().catch((error) => failing.abort(error))));
  signal.throwIfAborted();
  failing.signal.throwIfAborted();
}

/** A statement for each table, the largest first. */
async function analyzeStatements(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select quote_ident(relname) as table from pg_class
      where relnamespace = $1::regnamespace and relkind = 'r' order by pg_relation_size(oid) desc`,
    [SCHEMA_NAME],
  );
  return rows.map(({ table }) => `analyze ${table}`);
}
