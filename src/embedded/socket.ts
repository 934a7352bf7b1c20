/** The socket of an embedded PostgreSQL, in its data directory. */
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Place } from './place.ts';

/** How the names of PostgreSQL's sockets and of their locks begin; the port follows. */
export const SOCKET_PREFIX = '.s.PGSQL.';
/** What fits into `sockaddr_un.sun_path` with its end: 104 bytes on macOS, 108 on Linux. */
const LONGEST_PATH_BYTES = 103;

export function socketFile(place: Pick<Place, 'cluster'>, port: number): string {
  return join(place.cluster, `${SOCKET_PREFIX}${port}`);
}

/** Does somebody answer there? Not where the path is too long, or the file system has no sockets. */
export async function isReachable(file: string): Promise<boolean> {
  if (Buffer.byteLength(file) > LONGEST_PATH_BYTES) return false;
  return new Promise((resolve) => {
    const probe = connect(file);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
