import type pg from 'pg';

/** Runs `work` in a transaction: all of its statements take effect, or none. */
export async function inDatabaseTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
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
