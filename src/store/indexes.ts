/** Builds the indexes for reading at the end of a bulk sync: several at a time, resumable at each. */
import { createClient, type PostgresOptions } from './connect.ts';
import { indexStatements } from './schema.ts';

/** A build sorts in this much memory. */
const BUILD_MEMORY = '256MB';

export interface BuildOptions {
  readonly postgres: PostgresOptions;
  /** Builds at the same time, each on a connection of its own. */
  readonly connections: number;
  readonly signal: AbortSignal;
  onBuilt(built: number, all: number): void;
}

/** Builds what is missing. An index that was being built when the program died is not there, and is built again. */
export async function buildIndexes({ postgres, connections, signal, onBuilt }: BuildOptions): Promise<void> {
  const statements = await indexStatements();
  const all = statements.length;
  let built = 0;
  const work = async (): Promise<void> => {
    const client = createClient(postgres, 'chain-indexer index build');
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(`set maintenance_work_mem = '${BUILD_MEMORY}'; set max_parallel_maintenance_workers = 0`);
      for (let next = statements.shift(); next !== undefined; next = statements.shift()) {
        signal.throwIfAborted();
        await client.query(next);
        onBuilt(++built, all);
      }
    } finally {
      await client.end().catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}
