/** PostgreSQL's data directory: created once by initdb, checked before each start. */

import { chmod, chown, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import type { PostgresBinaries } from './binaries.ts';
import { runToEnd, type UnixUser } from './child-processes.ts';
import type { EmbeddedPaths } from './file-paths.ts';
import { changeClusterOwner, readClusterFile } from './safe-cluster-files.ts';
import { initdbFailureReason } from './server-log.ts';
import { createPassword } from './superuser-password.ts';
import { anyNamedUser } from './unprivileged-user.ts';

/** The database user of an embedded PostgreSQL, which owns everything in it. */
export const SUPERUSER_NAME = 'chain_indexer';
/** The first version with a builtin locale, the same on every machine. */
const BUILTIN_LOCALE_SINCE = 17;
/** What initdb says to a user id without a name. */
const NAMELESS_USER = /could not look up effective user ID/;

/** Creates the data directory if necessary, owned by `user` if we are root. Returns the password of `SUPERUSER_NAME`. */
export async function prepareCluster(
  paths: EmbeddedPaths,
  binaries: PostgresBinaries,
  user: UnixUser | undefined,
  temporary: boolean,
): Promise<string> {
  const version = await readClusterFile(join(paths.cluster, 'PG_VERSION')).catch(async (error: unknown) => {
    await checkOwner(paths, user);
    throw error;
  });
  if (version === undefined) {
    const entries = await readdir(paths.cluster).catch(() => []);
    if (entries.length > 0)
      throw new OperatorError(
        `${paths.cluster} is not empty, but no PostgreSQL data directory either. Nothing in it was touched. ` +
          'Move it away, or choose another --data-dir.',
      );
    return initialise(paths, binaries, user, temporary);
  }
  await checkOwner(paths, user);
  const ours = await majorVersion(binaries);
  if (version.trim() !== ours)
    throw new OperatorError(
      `The database in ${paths.cluster} was made by PostgreSQL ${version.trim()}, this program brings PostgreSQL ${ours}. ` +
        'Nothing was touched. Choose another --data-dir (the chain is then indexed anew), or move this one away.',
    );
  return readFile(paths.passwordFile, 'utf8').catch((error: unknown) => {
    throw new OperatorError(
      `The database password in ${paths.passwordFile} cannot be read. ` +
        `Restore that file, or move ${paths.home} away: the chain is then indexed anew.`,
      { cause: error },
    );
  });
}

/** Takes over a cluster that is not `user`'s (see `unprivilegedUser`) when run as root; otherwise refuses it. */
async function checkOwner({ cluster }: EmbeddedPaths, user: UnixUser | undefined): Promise<void> {
  const runner = user?.uid ?? process.getuid?.();
  const { uid } = await stat(cluster);
  if (uid === runner) return;
  if (user !== undefined) return changeClusterOwner(cluster, user);
  throw new OperatorError(
    `The database in ${cluster} belongs to another user (user id ${uid}; PostgreSQL would run as ${runner}). ` +
      'Start as that user, or choose another --data-dir.',
  );
}

async function majorVersion(binaries: PostgresBinaries): Promise<string> {
  const { stdout } = await runToEnd(binaries.postgres, ['--version']);
  return /(\d+)/.exec(stdout)?.[1] ?? stdout.trim();
}

/** Uses another directory until it is complete: an interrupted initdb leaves nothing that looks like a database. */
async function initialise(
  paths: EmbeddedPaths,
  binaries: PostgresBinaries,
  user: UnixUser | undefined,
  temporary: boolean,
): Promise<string> {
  const unfinished = `${paths.cluster}.new`;
  const cluster = join(unfinished, 'cluster');
  const passwordInput = join(unfinished, 'password');
  const password = await createPassword(paths, user !== undefined);
  await runToEnd('rm', ['-rf', unfinished]);
  await mkdir(unfinished, { mode: 0o700 });
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(passwordInput, password, { mode: 0o600 });
  // initdb requires a name for its user; the group excludes everybody else of that name.
  const initdbUser = user === undefined ? undefined : { ...(await anyNamedUser()), gid: user.gid };
  if (initdbUser !== undefined) {
    for (const path of [cluster, passwordInput]) await chown(path, initdbUser.uid, initdbUser.gid);
    await chown(unfinished, 0, initdbUser.gid);
    await chmod(unfinished, 0o710);
  }
  const { code, output } = await runToEnd(
    binaries.initdb,
    [
      `--pgdata=${cluster}`,
      `--username=${SUPERUSER_NAME}`,
      `--pwfile=${passwordInput}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(Number(await majorVersion(binaries)) >= BUILTIN_LOCALE_SINCE
        ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
        : []),
      ...(temporary ? ['--no-sync'] : []),
    ],
    initdbUser,
  );
  if (code === 0) {
    if (user !== undefined) await changeClusterOwner(cluster, user);
    await rename(cluster, paths.cluster);
  }
  await runToEnd('rm', ['-rf', unfinished]);
  if (code !== 0) {
    const remedy = NAMELESS_USER.test(output)
      ? ' The embedded PostgreSQL needs a user that /etc/passwd names: add one, or give --postgres-host.'
      : '';
    throw new OperatorError(
      `The database could not be made in ${paths.home}: ${initdbFailureReason(output)}.${remedy}`,
    );
  }
  return password;
}
