/** The thread of `batch-writer.ts`: one connection, one transaction at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import { openPatientConnection, type PostgresOptions } from '../../store/postgres/connect.ts';
import { WRITE_BY_KEY } from '../../store/write/writer-session.ts';
import { runSteps } from '../../store/write/write-plan.ts';
import type { WriteAnswer, WriteOrder, WriteSilence } from './batch-writer.ts';

async function connect(): Promise<pg.Client> {
  // A connection that breaks shows in the next statement.
  const client = await openPatientConnection(workerData as PostgresOptions, 'chain-indexer scanner (bulk)', {
    onSilence: (silentSeconds) => parentPort?.postMessage({ silentSeconds } satisfies WriteSilence),
  });
  await client.query(WRITE_BY_KEY);
  return client;
}

let isOpen = false;

async function carryOut({ steps, commits }: WriteOrder): Promise<void> {
  const client = await connection;
  if (!isOpen) await client.query('begin');
  isOpen = true;
  await runSteps(client, steps);
  if (!commits) return;
  await client.query('commit');
  isOpen = false;
}

/** Begun at once; a failure shows in the first order. */
const connection = connect();
connection.catch(() => {});

/** After a failure every later order fails as well: its transaction has lost what came before. */
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', async (order: WriteOrder) => {
  last = last.then(() => carryOut(order));
  parentPort?.postMessage(await last.then(done, failed));
});

function done(): WriteAnswer {
  return null;
}

function failed(error: unknown): WriteAnswer {
  const { message, code } = error as { message?: string; code?: string };
  return { message: message ?? String(error), code };
}
