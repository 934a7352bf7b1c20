/** The user for PostgreSQL and the programs if we are root. No user is created for that. */

import { randomInt } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { runToEnd, type UnixUser } from './child-processes.ts';

/** The files that list users, groups and the capabilities of this process (proc_pid_status(5)). */
export interface SystemUserFiles {
  readonly passwd: string;
  readonly group: string;
  readonly status: string;
}

const FILES: SystemUserFiles = { passwd: '/etc/passwd', group: '/etc/group', status: '/proc/self/status' };

/**
 * Ids that neither distributions nor systemd assign (systemd.io/UIDS-GIDS; ids of containers begin at 100,000): the
 * first, and the one after the last. The second range is for containers with no more than 65,536 ids.
 */
const RANGES = [
  [65_536, 100_000],
  [60_706, 61_182],
] as const;
const ATTEMPTS = 5;

/**
 * Returns the user for a data directory; `undefined` if we are not root and run everything ourselves. It is the owner
 * of `postgres/cluster`. If there is none, or it is root or `nobody`, who shares its rights with other daemons, it is a
 * free id. If no id is free (other systems than Linux, a container with few ids), it is `nobody`. Throws an
 * `OperatorError` if root may not act for others, as in a container without capabilities, or if the data belongs to a
 * user.
 */
export async function unprivilegedUser(dataDir: string, files: SystemUserFiles = FILES): Promise<UnixUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const missing = await missingCapabilities(files.status);
  if (missing.length > 0)
    throw new OperatorError(
      `PostgreSQL refuses to run as root, and root may not run it as another user here: it lacks ${missing.join(', ')}. ` +
        'Give this container those capabilities, start as an ordinary user, or give --postgres-host.',
    );
  const named = await anyNamedUser(files.passwd);
  const home = join(dataDir, 'postgres');
  const [homeOwner, owner] = await Promise.all([home, join(home, 'cluster')].map(ownerOf));
  // The owner could redirect whatever root writes there.
  if (homeOwner !== undefined && homeOwner.uid !== 0)
    throw new OperatorError(
      `${home} belongs to another user (user id ${homeOwner.uid}). Start as that user, or choose another --data-dir.`,
    );
  if (owner !== undefined && owner.uid !== 0 && owner.uid !== named.uid) return withId(owner);
  return (await freeId(files)) ?? named;
}

/**
 * Returns a user with a name that is not root, because initdb requires a name for its user id: `nobody`, which every
 * distribution has, or any ordinary user.
 */
export async function anyNamedUser(passwdFile = FILES.passwd): Promise<UnixUser> {
  const users = (await readFile(passwdFile, 'utf8').catch(() => '')).split('\n').flatMap(parsePasswdLine);
  const user = users.find(({ name }) => name === 'nobody') ?? users.find(({ uid }) => uid !== 0);
  if (user === undefined)
    throw new OperatorError(
      `PostgreSQL refuses to run as root, and ${passwdFile} has no other user. ` +
        'Start as an ordinary user, or give --postgres-host to use a PostgreSQL of your own.',
    );
  return user;
}

/**
 * May `user` pass the directory, or read the file, at `path`? The kernel decides for us; other users are checked by a
 * process.
 */
export async function canUserAccess(path: string, user: UnixUser | undefined, cwd?: string): Promise<boolean> {
  if (user === undefined) return true;
  const script = 'if [ -d "$1" ]; then [ -x "$1" ]; else [ -r "$1" ]; fi';
  return (await runToEnd('/bin/sh', ['-c', script, 'sh', path], user, cwd)).code === 0;
}

const withId = ({ uid, gid }: { uid: number; gid: number }): UnixUser => ({ name: `with the id ${uid}`, uid, gid });

function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  return stat(path).catch(() => undefined);
}

function parsePasswdLine(line: string): UnixUser[] {
  const [name, , uid, gid] = line.split(':');
  const user = { name: name ?? '', uid: Number.parseInt(uid ?? '', 10), gid: Number.parseInt(gid ?? '', 10) };
  return user.name !== '' && user.uid > 0 && user.gid >= 0 ? [user] : [];
}

/** Returns an id that no user and no group has, and that exists in our user namespace. */
async function freeId({ passwd, group }: SystemUserFiles): Promise<UnixUser | undefined> {
  if (process.platform !== 'linux') return undefined;
  const lists = await Promise.all([passwd, group].map((file) => readFile(file, 'utf8').catch(() => '')));
  for (const [from, to] of RANGES) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const id = randomInt(from, to);
      const isTaken = lists.some((list) => new RegExp(`^[^:]*:[^:]*:${id}:`, 'm').test(list));
      const user = withId({ uid: id, gid: id });
      if (!isTaken && (await canUserAccess('/', user))) return user;
    }
  }
  return undefined;
}

/** Capabilities that root needs to start, watch and stop programs of others, by their number in capability.h. */
const CAPABILITIES = { CHOWN: 0, DAC_OVERRIDE: 1, FOWNER: 3, KILL: 5, SETGID: 6, SETUID: 7 };

async function missingCapabilities(status: string): Promise<string[]> {
  const text = await readFile(status, 'utf8').catch(() => '');
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(text)?.[1];
  if (effective === undefined) return [];
  const bits = BigInt(`0x${effective}`);
  return Object.entries(CAPABILITIES)
    .filter(([, bit]) => ((bits >> BigInt(bit)) & 1n) === 0n)
    .map(([name]) => `CAP_${name}`);
}
