/** Creates a database for an index. */
import pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { type PostgresOptions, withPostgresConnection } from './connect.ts';
import { explainFinalPostgresError, sqlStateOf } from './postgres-error.ts';

/** PostgreSQL cuts longer names. */
export const MAX_NAME_BYTES = 63;
const EXISTS_ALREADY = '42P04';
const FORBIDDEN = '42501';

/**
 * Creates the database `name` on the server of `existing`, another database, encoded in UTF8 as the scanner needs it. Does
 * nothing if it exists. Throws an OperatorError when it cannot be created.
 */
export async function createDatabase(existing: PostgresOptions, name: string, applicationName: string): Promise<void> {
  try {
    const statement = `create database ${pg.escapeIdentifier(name)} encoding 'UTF8' template template0`;
    await withPostgresConnection(existing, applicationName, (client) => client.query(statement));
  } catch (error) {
    if (sqlStateOf(error) === EXISTS_ALREADY) return;
    if (sqlStateOf(error) !== FORBIDDEN) throw explainFinalPostgresError(error, existing);
    throw new OperatorError(
      `user ${existing.user} may not create databases. As an administrator of PostgreSQL: ` +
        `createdb --owner ${existing.user} --encoding UTF8 --template template0 ${name}, and start this again.`,
      { cause: error },
    );
  }
}
