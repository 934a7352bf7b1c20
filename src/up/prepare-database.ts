/** Creates the database for the programs of `up` if it is missing, reads its tip, and drops an index that is too old. */
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { type PostgresOptions, withPostgresConnection } from '../store/postgres/connect.ts';
import { createDatabase } from '../store/postgres/create-database.ts';
import { explainFinalPostgresError, NO_SUCH_DATABASE, sqlStateOf } from '../store/postgres/postgres-error.ts';
import { dropTables } from '../store/schema/create-and-drop-tables.ts';
import { examineDatabase } from '../store/schema/database-identity.ts';
import { readTip } from '../store/write/tip.ts';

const NO_SUCH_TABLE = '42P01';
export const APPLICATION_NAME = 'chain-indexer up';

/** Creates the database if it is missing. Throws an `OperatorError` if PostgreSQL refuses the connection. */
export async function createMissingDatabase(options: PostgresOptions): Promise<void> {
  try {
    await withPostgresConnection(options, APPLICATION_NAME, async () => undefined);
  } catch (error) {
    if (sqlStateOf(error) !== NO_SUCH_DATABASE) throw refusalOf(error, options);
    await createDatabase({ ...options, database: 'postgres' }, options.database, APPLICATION_NAME);
  }
}

/** Returns the id of the last block in the index; `undefined` if there is no index. Throws like `createMissingDatabase`. */
export async function indexedTipId(options: PostgresOptions): Promise<Id | undefined> {
  try {
    return (await withPostgresConnection(options, APPLICATION_NAME, readTip)).blockId;
  } catch (error) {
    if (sqlStateOf(error) === NO_SUCH_TABLE) return undefined;
    throw refusalOf(error, options);
  }
}

/**
 * Drops an index of an older storage version and returns that version; `undefined` if there is none. Throws an `OperatorError`
 * if the database holds something else than an index of this network.
 */
export async function dropOlderIndex(options: PostgresOptions, network: Network): Promise<string | undefined> {
  try {
    return await withPostgresConnection(options, APPLICATION_NAME, async (client) => {
      const found = await examineDatabase(client, network);
      if (typeof found === 'string') return undefined;
      await dropTables(client);
      return found.older;
    });
  } catch (error) {
    throw refusalOf(error, options);
  }
}

function refusalOf(error: unknown, options: PostgresOptions): OperatorError {
  const explained = explainFinalPostgresError(error, options);
  if (explained instanceof OperatorError) return explained;
  const reason = error instanceof Error ? error.message : String(error);
  const where = `${options.host}:${options.port}`;
  return new OperatorError(`PostgreSQL at ${where} cannot be used: ${reason}.`, { cause: error });
}
