/** The database that `up` hands to the programs: there, and with what it holds. */
import pg from 'pg';
import { OperatorError } from '../config/operator-error.ts';
import { createClient, type PostgresOptions } from '../store/connect.ts';
import { readTip } from '../store/tip.ts';

const NO_SUCH_DATABASE = '3D000';
const EXISTS_ALREADY = '42P04';
const NO_SUCH_TABLE = '42P01';

/** Creates the database when it is missing. Throws an `OperatorError` when PostgreSQL does not let us in. */
export async function ensureDatabase(options: PostgresOptions): Promise<void> {
  try {
    await connected(options, async () => undefined);
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_DATABASE) throw connectionError(options, error);
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

/** The id of the last block that is in the index, `undefined` when there is no index. */
export async function indexedTip(options: PostgresOptions): Promise<{ id: string; height: number } | undefined> {
  try {
    const { blockId, height } = await connected(options, readTip);
    return { id: blockId, height };
  } catch (error) {
    if (codeOf(error) === NO_SUCH_TABLE) return undefined;
    throw error;
  }
}

async function connected<T>(options: PostgresOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createClient(options, 'chain-indexer up');
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code;

function connectionError({ host, port, user }: PostgresOptions, error: unknown): OperatorError {
  const where = `PostgreSQL at ${host}:${port}`;
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return new OperatorError(`Nothing listens where ${where} should be. Check --postgres-host and --postgres-port.`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new OperatorError(`The host ${host} of PostgreSQL is unknown. Check --postgres-host.`);
    case '28P01':
    case '28000':
      return new OperatorError(
        `${where} refused user ${user}: ${(error as Error).message}. Check --postgres-user and --postgres-password.`,
      );
    default:
      return new OperatorError(`${where} cannot be used: ${(error as Error).message || codeOf(error)}.`, {
        cause: error,
      });
  }
}
