/** The socket of an embedded PostgreSQL, in its data directory. */
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isAnswered } from './is-answered.ts';
import type { Place } from './place.ts';

/** How the names of PostgreSQL's sockets and of their locks begin; the port follows. */
export const SOCKET_PREFIX = '.s.PGSQL.';
/** What fits into `sockaddr_un.sun_path` with its end: 104 bytes on macOS, 108 on Linux. */
const LONGEST_PATH_BYTES = 103;

export function socketFile(place: Pick<Place, 'cluster'>, port: number): string {
  return join(place.cluster, `${SOCKET_PREFIX}${port}`);
}

/** Can the server be asked there? Not where the path is too long, or the server has no socket. */
export async function isReachable(file: string): Promise<boolean> {
  return fits(file) && isAnswered(file);
}

/** The sockets in a cluster at which some server answers, by whatever program or container it was started. */
export async function answeredSockets({ cluster }: Pick<Place, 'cluster'>): Promise<string[]> {
  const files = (await readdir(cluster))
    .filter((name) => name.startsWith(SOCKET_PREFIX) && !name.endsWith('.lock'))
    .map((name) => join(cluster, name));
  const answers = await Promise.all(files.map((file) => (fits(file) ? isAnswered(file) : isAnsweredThroughLink(file))));
  return files.filter((_, i) => answers[i]);
}

/** A server may listen at a path that is too long to be asked for. */
async function isAnsweredThroughLink(file: string): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-'));
  try {
    await symlink(dirname(file), join(directory, 'cluster'));
    return await isAnswered(join(directory, 'cluster', basename(file)));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const fits = (file: string) => Buffer.byteLength(file) <= LONGEST_PATH_BYTES;
