/** The thread of `batch-writer.ts`: one connection, one transaction at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import { openConnectionWithRetry, type PostgresOptions } from '../../store/postgres/connect.ts';
import { runStatements } from '../../store/write/write-plan.ts';
import { WRITE_BY_KEY } from '../../store/write/writer-session.ts';
import type { WriteRequest, WriteResult, WriteStalled } from './batch-writer.ts';

async function connect(): Promise<pg.Client> {
  // A connection that breaks shows in the next statement.
  const client = await openConnectionWithRetry(workerData as PostgresOptions, 'chain-indexer scanner (bulk)', {
    onSilence: (silentSeconds) => parentPort?.postMessage({ silentSeconds } satisfies WriteStalled),
  });
  await client.query(WRITE_BY_KEY);
  return client;
}

let isOpen = false;

async function carryOut({ steps, commits }: WriteRequest): Promise<void> {
  const client = await connection;
  if (!isOpen) await client.query('begin');
  isOpen = true;
  await runStatements(client, steps);
  if (!commits) return;
  await client.query('commit');
  isOpen = false;
}

/** Begun at once; a failure shows in the first order. */
const connection = connect();
connection.catch(() => {});

/** After a failure every later order fails as well: its transaction has lost what came before. */
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', async (order: WriteRequest) => {
  last = last.then(() => carryOut(order));
  parentPort?.postMessage(await last.then(done, failed));
});

function done(): WriteResult {
  return null;
}

function failed(error: unknown): WriteResult {
  const { message, code } = error as { message?: string; code?: string };
  return { message: message ?? String(error), code };
}
