/** Builds the indexes for reading at the end of a bulk sync: several at a time, resumable at each. */
import type pg from 'pg';
import { breakConnection, closeConnection, openWritingConnection, type PostgresOptions, SCHEMA } from './connect.ts';
import { indexStatements } from './schema.ts';

/** A build sorts in this much memory. */
const BUILD_MEMORY = '256MB';

export interface BuildOptions {
  readonly postgres: PostgresOptions;
  /** Builds at the same time, each on a connection of its own. */
  readonly connections: number;
  readonly signal: AbortSignal;
  onBuilt(built: number, all: number): void;
  /** Told again and again while a build takes long; seconds. */
  onSilence?: ((seconds: number) => void) | undefined;
}

/** Gathers the planner's first statistics of our tables, from small samples; autovacuum refines them later. */
export async function analyzeTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    'select quote_ident(tablename) as table from pg_tables where schemaname = $1',
    [SCHEMA],
  );
  await client.query('set default_statistics_target = 20');
  await client.query(`analyze ${rows.map(({ table }) => table).join(', ')}`);
  await client.query('reset default_statistics_target');
}

/**
 * Builds what is missing. An index that was being built when the program died is not there, and is built again. Ends
 * at once when `signal` is aborted, and after the first failure; nothing goes on behind its back.
 */
export async function buildIndexes({ postgres, connections, signal, onBuilt, onSilence }: BuildOptions): Promise<void> {
  const statements = await indexStatements();
  const all = statements.length;
  const failing = new AbortController();
  const stopping = AbortSignal.any([signal, failing.signal]);
  let built = 0;
  const work = async (): Promise<void> => {
    const client = await openWritingConnection(postgres, 'chain-indexer index build', {
      givesUp: false,
      ...(onSilence === undefined ? {} : { onSilence }),
    });
    const stop = (): void => breakConnection(client);
    stopping.addEventListener('abort', stop, { once: true });
    try {
      await client.query(`set maintenance_work_mem = '${BUILD_MEMORY}'; set max_parallel_maintenance_workers = 0;
         set synchronous_commit = off`);
      for (let next = statements.shift(); next !== undefined; next = statements.shift()) {
        stopping.throwIfAborted();
        await client.query(next);
        onBuilt(++built, all);
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
