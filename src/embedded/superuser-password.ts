/** The superuser's password: its file, and its change after initdb, which had it as another user than ours. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { type PostgresOptions, withPostgresConnection } from '../store/postgres/connect.ts';
import { sqlStateOf } from '../store/postgres/postgres-error.ts';
import type { EmbeddedPaths } from './file-paths.ts';

type PasswordFile = Pick<EmbeddedPaths, 'passwordFile'>;

const nextFile = ({ passwordFile }: PasswordFile) => `${passwordFile}.next`;
const INVALID_PASSWORD = '28P01';

/** Creates and stores the password for initdb. `isTemporary`: it is valid until `changePassword`. */
export async function createPassword(paths: PasswordFile, isTemporary: boolean): Promise<string> {
  const password = randomPassword();
  if (isTemporary) await writeFile(nextFile(paths), randomPassword(), { mode: 0o600 });
  await writeFile(paths.passwordFile, password, { mode: 0o600 });
  return password;
}

/**
 * Changes a temporary password at the server that `options` reaches. Returns the valid one. An interrupted start may
 * have changed it before.
 */
export async function changePassword(
  paths: PasswordFile,
  options: Omit<PostgresOptions, 'database'> & { readonly password: string },
): Promise<string> {
  const next = await readFile(nextFile(paths), 'utf8').catch(() => undefined);
  if (next === undefined) return options.password;
  // A statement with a password must never appear in the log.
  const quiet = `set log_min_error_statement = panic; set log_statement = 'none'`;
  const change = `${quiet}; alter role ${options.user} password '${next}'`;
  await withPostgresConnection({ ...options, database: 'postgres' }, 'chain-indexer up', (client) =>
    client.query(change),
  ).catch((error: unknown) => {
    if (sqlStateOf(error) !== INVALID_PASSWORD) throw error;
  });
  await rename(nextFile(paths), paths.passwordFile);
  return next;
}

/** Returns a random password without special characters of SQL. */
export const randomPassword = () => randomBytes(18).toString('base64url');
