/** Creates the database for the programs of `up` if it is missing, and reads what it holds. */
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { openConnection, type PostgresOptions } from '../store/postgres/connect.ts';
import { explainWithoutWaiting } from '../store/postgres/postgres-error.ts';
import { readTip } from '../store/write/tip.ts';

const NO_SUCH_DATABASE = '3D000';
const EXISTS_ALREADY = '42P04';
const NO_SUCH_TABLE = '42P01';

/** Creates the database when it is missing. Throws an `OperatorError` when PostgreSQL does not let us in. */
export async function ensureDatabase(options: PostgresOptions): Promise<void> {
  try {
    await connected(options, async () => undefined);
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_DATABASE) throw refusalOf(error, options);
    try {
      await connected({ ...options, database: 'postgres' }, (client) =>
        client.query(`create database ${pg.escapeIdentifier(options.database)}`),
      );
    } catch (failure) {
      // Somebody else was as quick.
      if (codeOf(failure) === EXISTS_ALREADY) return;
      throw new OperatorError(
        `There is no database ${options.database}, and it cannot be created: ${(failure as Error).message}. ` +
          `Create it, and let user ${options.user} own it.`,
        { cause: failure },
      );
    }
  }
}

/** The last block that is in the index, `undefined` when there is no index. Throws as `ensureDatabase` does. */
export async function indexedTip(options: PostgresOptions): Promise<{ id: string; height: number } | undefined> {
  try {
    const { blockId, height } = await connected(options, readTip);
    return { id: blockId, height };
  } catch (error) {
    if (codeOf(error) === NO_SUCH_TABLE) return undefined;
    throw refusalOf(error, options);
  }
}

/** Does something with a connection of its own. Rejects with the driver's error. */
export async function connected<T>(options: PostgresOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openConnection(options, 'chain-indexer up');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code;

function refusalOf(error: unknown, options: PostgresOptions): OperatorError {
  const explained = explainWithoutWaiting(error, options);
  if (explained instanceof OperatorError) return explained;
  const reason = error instanceof Error ? error.message : String(error);
  return new OperatorError(`PostgreSQL at ${options.host}:${options.port} cannot be used: ${reason}.`, {
    cause: error,
  });
}
