/** The thread of `batch-writer.ts`: one connection, one transaction a message. */
import { parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import { openWritingConnection, type PostgresOptions } from '../store/connect.ts';
import { WRITE_BY_KEY } from '../store/session.ts';
import { runSteps, type WriteStep } from '../store/steps.ts';
import { inTransaction } from '../store/transaction.ts';
import type { WriteAnswer, WriteSilence } from './batch-writer.ts';

async function connect(): Promise<pg.Client> {
  // A connection that breaks shows in the next statement.
  const client = await openWritingConnection(workerData as PostgresOptions, 'chain-indexer scanner (bulk)', {
    onSilence: (silentSeconds) => parentPort?.postMessage({ silentSeconds } satisfies WriteSilence),
  });
  await client.query(WRITE_BY_KEY);
  return client;
}

async function write(steps: readonly WriteStep[]): Promise<WriteAnswer> {
  try {
    const client = await connection;
    await inTransaction(client, () => runSteps(client, steps));
    return null;
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    return { message: message ?? String(error), code };
  }
}

/** Begun at once; a failure shows in the first write. */
const connection = connect();
connection.catch(() => {});

parentPort?.on('message', async (steps: readonly WriteStep[]) => parentPort?.postMessage(await write(steps)));
