/** The thread of `batch-writer.ts`: one connection, one transaction at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { beginTransaction } from '../../store/postgres/in-transaction.ts';
import { openLongStatementConnection } from '../../store/postgres/long-statement-connection.ts';
import { runStatements } from '../../store/write/transferable-statements.ts';
import { WRITER_SETTINGS } from '../../store/write/writer-session.ts';
import type { WriteRequest, WriteResult, WriteStalled } from './batch-writer.ts';

async function connect(): Promise<pg.Client> {
  // A broken connection is noticed by the next statement.
  const client = await openLongStatementConnection(workerData as PostgresOptions, 'chain-indexer scanner (bulk)', {
    onStall: (stalledSeconds) => parentPort?.postMessage({ stalledSeconds } satisfies WriteStalled),
  });
  await client.query(WRITER_SETTINGS);
  return client;
}

let isOpen = false;

async function execute({ statements, commits }: WriteRequest): Promise<void> {
  const client = await connection;
  if (!isOpen) await beginTransaction(client);
  isOpen = true;
  await runStatements(client, statements);
  if (!commits) return;
  await client.query('commit');
  isOpen = false;
}

/** The connection, opened at once; a failure is reported with the first request. */
const connection = connect();
connection.catch(() => {});

/** The last request. After a failure every later one fails as well, because its transaction has lost statements. */
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', async (request: WriteRequest) => {
  last = last.then(() => execute(request));
  parentPort?.postMessage(await last.then(done, failed));
});

function done(): WriteResult {
  return null;
}

function failed(error: unknown): WriteResult {
  const { message, code } = error as { message?: string; code?: string };
  return { message: message ?? String(error), code };
}
