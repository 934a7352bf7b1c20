import type pg from 'pg';
import { SCHEMA_NAME } from './connect.ts';

/**
 * Begins a transaction, in one message. Where its tables are does not depend on the session, which a pooler may have changed.
 * `kind`: such as `read only`.
 */
export async function beginTransaction(client: pg.Client, kind = ''): Promise<void> {
  await client.query(`begin ${kind}; set local search_path = ${SCHEMA_NAME}`);
}

/** Runs `work` in a transaction: all of its statements take effect, or none. */
export async function inDatabaseTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await beginTransaction(client);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A lost connection has rolled back already; the first error is the one that matters.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
