/** The paths of an embedded PostgreSQL's files, below the configured data directory. */

import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { dataDirectoryError, OperatorError } from '../errors/operator-error.ts';
import type { UnixUser } from './child-processes.ts';
import { canUserAccess } from './unprivileged-user.ts';

export type EmbeddedPaths = Awaited<ReturnType<typeof prepareEmbeddedPaths>>;

/** Used as root if other users cannot reach the data directory; survives a reboot. */
const ELSEWHERE = '/var/lib/chain-indexer';

/**
 * Creates or finds `<dataDir>/postgres`. If `user` cannot reach it, because we are root and the data directory is below
 * /root, it is a symbolic link to a directory in `elsewhere`. Throws an `OperatorError` that says what is in the way.
 */
export async function prepareEmbeddedPaths(dataDir: string, user: UnixUser | undefined, elsewhere = ELSEWHERE) {
  const entry = resolve(dataDir, 'postgres');
  try {
    await mkdir(dataDir, { recursive: true });
    const home = (await directoryAt(entry)) ?? (await makeHome(entry, user, elsewhere));
    if (user !== undefined) await chmod(home, 0o711);
    if (!(await canUserAccess(home, user)))
      throw new OperatorError(
        `PostgreSQL refuses to run as root, and user ${user?.name} cannot reach ${home}. ` +
          'Choose another --data-dir, for example below /var/lib, or start as an ordinary user.',
      );
    return {
      /** The absolute path, without symbolic links, accessible to the user that PostgreSQL runs as. */
      home,
      /** PostgreSQL's own data directory. */
      cluster: join(home, 'cluster'),
      sockets: join(home, 'socket'),
      logFile: join(home, 'server.log'),
      passwordFile: join(home, 'password'),
      /** The reason why `home` is not below the data directory; missing if it is. */
      note:
        home === join(await realpath(dataDir), 'postgres')
          ? undefined
          : `The database is in ${home}, because PostgreSQL runs as user ${user?.name}, who cannot reach ${dataDir}.`,
    };
  } catch (error) {
    throw dataDirectoryError(dataDir, error);
  }
}

/** Returns the directory at `path`, with links followed; `undefined` if there is none. */
async function directoryAt(path: string): Promise<string | undefined> {
  const entry = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (entry === undefined) return undefined;
  if (!entry.isDirectory())
    throw new OperatorError(`${path} is not a directory. Move it away, or choose another --data-dir.`);
  return realpath(path);
}

async function makeHome(entry: string, user: UnixUser | undefined, elsewhere: string): Promise<string> {
  // The link's directory does not exist any more.
  await rm(entry, { force: true });
  const dataDir = await realpath(resolve(entry, '..'));
  // mkdtemp makes the directory closed; we open it for passing through only.
  if (!(await canUserAccess(dataDir, user)) && (await canUserAccess(dirname(dataDir), user)))
    await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
  if (await canUserAccess(dataDir, user)) {
    await mkdir(entry, { mode: 0o700 });
  } else {
    await mkdir(elsewhere, { recursive: true, mode: 0o755 });
    await symlink(await mkdtemp(join(elsewhere, 'postgres-')), entry);
  }
  return realpath(entry);
}
