/**
 * A user with a name that is not root, without creating one: `nobody`, which every distribution has, or whatever ordinary
 * user there is (initdb insists on a name for its user id).
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';

export interface UnixUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user to run initdb as, and everything else if `user-ids.ts` finds no ids of our own. `undefined` if we are not root
 * and run it ourselves.
 */
export async function unprivilegedUser(passwdFile = '/etc/passwd'): Promise<UnixUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile(passwdFile, 'utf8').catch(() => '')).split('\n').flatMap(parsePasswdLine);
  const user = users.find(({ name }) => name === 'nobody') ?? users.find(({ uid }) => uid !== 0);
  if (user === undefined)
    throw new OperatorError(
      `PostgreSQL refuses to run as root, and ${passwdFile} has no other user. ` +
        'Start as an ordinary user, or give --postgres-host to use a PostgreSQL of your own.',
    );
  return user;
}

function parsePasswdLine(line: string): UnixUser[] {
  const [name, , uid, gid] = line.split(':');
  const user = { name: name ?? '', uid: Number.parseInt(uid ?? '', 10), gid: Number.parseInt(gid ?? '', 10) };
  return user.name !== '' && user.uid > 0 && user.gid >= 0 ? [user] : [];
}

/**
 * The first directory on the way to `path` (which must be absolute) that `user` may not pass, if there is one; of those
 * above `from`, where the user is already, none counts.
 */
export async function firstClosedDirectory(
  path: string,
  user: UnixUser | undefined,
  from = '/',
): Promise<string | undefined> {
  if (user === undefined) return undefined;
  const parents: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    parents.unshift(at);
    if (dirname(at) === at || at === from) break;
  }
  for (const directory of parents) {
    const entry = await stat(directory);
    if (!entry.isDirectory()) continue;
    const mayPass =
      entry.uid === user.uid
        ? entry.mode & 0o100 // the owner's search bit
        : entry.gid === user.gid
          ? entry.mode & 0o010
          : entry.mode & 0o001;
    if (mayPass === 0) return directory;
  }
  return undefined;
}
