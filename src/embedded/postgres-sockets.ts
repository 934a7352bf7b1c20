/** The Unix socket of an embedded PostgreSQL, in a separate directory next to the cluster. */

import { chown, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { UnixUser } from './child-processes.ts';
import type { EmbeddedPaths } from './file-paths.ts';

/** The prefix of the names of PostgreSQL's sockets and of their locks; the port follows. */
const SOCKET_PREFIX = '.s.PGSQL.';
/** Maximum length that fits into `sockaddr_un.sun_path` with its end: 104 bytes on macOS, 108 on Linux. */
const MAX_PATH_BYTES = 103;

export function socketFile({ sockets }: Pick<EmbeddedPaths, 'sockets'>, port: number): string {
  return join(sockets, `${SOCKET_PREFIX}${port}`);
}

/** Creates the directory, owned by `user`, who runs the server, if we are root. */
export async function prepareSockets({ sockets }: EmbeddedPaths, user: UnixUser | undefined): Promise<void> {
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  if (user !== undefined) await chown(sockets, user.uid, user.gid);
}

/** Sockets in these directories, and their locks. */
export async function findSocketFiles({ sockets, cluster }: Directories): Promise<string[]> {
  // Earlier releases had them in the cluster.
  const lists = [sockets, cluster].map(async (directory) => {
    const names = await readdir(directory).catch(() => []);
    return names.filter((name) => name.startsWith(SOCKET_PREFIX)).map((name) => join(directory, name));
  });
  return (await Promise.all(lists)).flat();
}

type Directories = Pick<EmbeddedPaths, 'sockets' | 'cluster'>;

/** Can the server be reached there? False if the path is too long, or the server has no socket. */
export async function isReachable(file: string): Promise<boolean> {
  return fits(file) && isAnswered(file);
}

/** Returns the sockets on which a server answers, started by any program or container. */
export async function respondingSockets(paths: Directories): Promise<string[]> {
  const files = (await findSocketFiles(paths)).filter((name) => !name.endsWith('.lock'));
  const answers = await Promise.all(files.map((file) => (fits(file) ? isAnswered(file) : isAnsweredThroughLink(file))));
  return files.filter((_, i) => answers[i]);
}

/** Does a server accept connections on a Unix socket? False if there is no socket. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: the socket's backlog is full.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EAGAIN'));
  });
}

/** A server may listen on a path that is too long to connect to. */
async function isAnsweredThroughLink(file: string): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-'));
  try {
    await symlink(dirname(file), join(directory, 'cluster'));
    return await isAnswered(join(directory, 'cluster', basename(file)));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const fits = (file: string) => Buffer.byteLength(file) <= MAX_PATH_BYTES;
