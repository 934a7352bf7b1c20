/** The socket of an embedded PostgreSQL, in its data directory. */
import { join } from 'node:path';
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
  return Buffer.byteLength(file) <= LONGEST_PATH_BYTES && isAnswered(file);
}
