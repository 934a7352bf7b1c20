/**
 * The users that root runs things as: PostgreSQL, which refuses to run as root, and the programs, which need no rights of
 * root. No user is made for that. A data directory has user ids of its own, which nobody else uses: what runs as
 * `nobody` would share its rights with every other daemon that runs as `nobody`, and a program that is broken into would
 * get at the files of PostgreSQL and at the passwords of the others.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { type UnixUser, unprivilegedUser } from './unprivileged.ts';

export type ProgramName = 'scanner' | 'web-server' | 'devnet';

export interface Users {
  readonly postgres: UnixUser;
  /** Who makes a new cluster: initdb insists on a name for its user id. */
  readonly initdb: UnixUser;
  readonly programs: Readonly<Record<ProgramName, UnixUser>>;
}

/** Where users and groups, and the ids that this process may take, are listed. */
export interface UserFiles {
  readonly passwd: string;
  readonly group: string;
  readonly uidMap: string;
  readonly gidMap: string;
  readonly processes: string;
  /** What this process may do, see proc_pid_status(5). */
  readonly status: string;
}

const FILES: UserFiles = {
  passwd: '/etc/passwd',
  group: '/etc/group',
  uidMap: '/proc/self/uid_map',
  gidMap: '/proc/self/gid_map',
  processes: '/proc',
  status: '/proc/self/status',
};

/**
 * Ids that neither distributions nor systemd give to anybody (systemd.io/UIDS-GIDS; ids of containers begin at 100,000):
 * the first and the one after the last. The second is for containers that have no more than 65,536 ids.
 */
const RANGES = [
  [65_536, 100_000],
  [60_706, 61_182],
] as const;
/** One for PostgreSQL, and one for each program. */
const BLOCK = 4;

/**
 * The users for a data directory; `undefined` when we are not root and cannot run anything as somebody else. A new
 * directory gets a block of free ids, which follows from its path; later the owner of PostgreSQL's files tells which. Where
 * there are none (other systems than Linux, a container with few ids) all are one ordinary user, as `nobody`. Throws an
 * `OperatorError` when there is not even that, or root may not act for others, as in a container without capabilities.
 */
export async function usersForDataDirectory(dataDir: string, files: UserFiles = FILES): Promise<Users | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const missing = await missingCapabilities(files.status);
  if (missing.length > 0)
    throw new OperatorError(
      `PostgreSQL refuses to run as root, and root may not run it as another user here: it lacks ${missing.join(', ')}. ` +
        'Give this container those capabilities, start as an ordinary user, or give --postgres-host.',
    );
  const named = await unprivilegedUser(files.passwd);
  const first = process.platform === 'linux' ? await ownBlock(dataDir, files) : undefined;
  const user = (place: number): UnixUser => {
    if (first === undefined) return named!;
    return { name: `with the id ${first + place}`, uid: first + place, gid: first + place };
  };
  return {
    postgres: user(0),
    initdb: named!,
    programs: { scanner: user(1), 'web-server': user(2), devnet: user(3) },
  };
}

/** Is that an id of the kind that a data directory gets? */
export function isOwnId(id: number): boolean {
  return RANGES.some(([from, to]) => id >= from && id < to);
}

async function ownBlock(dataDir: string, files: UserFiles): Promise<number | undefined> {
  const [uids, gids] = await Promise.all([mappedIds(files.uidMap), mappedIds(files.gidMap)]);
  const [users, groups] = await Promise.all([idsIn(files.passwd), idsIn(files.group)]);
  const ids = (first: number) => Array.from({ length: BLOCK }, (_, i) => first + i);
  const isFree = (first: number) => ids(first).every((id) => uids(id) && gids(id) && !users.has(id) && !groups.has(id));

  const path = await realpath(dataDir).catch(() => resolve(dataDir));
  const owner = await stat(join(path, 'postgres', 'cluster')).then(
    ({ uid }) => uid,
    () => undefined,
  );
  for (const [from, to] of RANGES) {
    if (owner !== undefined && owner >= from && owner < to && (owner - from) % BLOCK === 0 && isFree(owner))
      return owner;
  }
  const busy = await idsOfProcesses(files.processes);
  const start = createHash('sha256').update(path).digest().readUInt32BE();
  for (const [from, to] of RANGES) {
    const blocks = Math.floor((to - from) / BLOCK);
    for (let i = 0; i < blocks; i++) {
      const first = from + ((start + i) % blocks) * BLOCK;
      if (isFree(first) && !ids(first).some((id) => busy.has(id))) return first;
    }
  }
  return undefined;
}

/** What root needs to start, watch and stop programs of others, by their number in capability.h. */
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

/** The ids that exist in our user namespace; lines of user_namespaces(7): the first, the first outside, how many. */
async function mappedIds(file: string): Promise<(id: number) => boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const ranges = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3);
  return (id) => ranges.some(([first, , count]) => id >= first! && id < first! + count!);
}

/** The ids in the third field of /etc/passwd or /etc/group. */
async function idsIn(file: string): Promise<Set<number>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return new Set(text.split('\n').map((line) => Number.parseInt(line.split(':')[2] ?? '', 10)));
}

/** Who runs something now. */
async function idsOfProcesses(directory: string): Promise<Set<number>> {
  const pids = (await readdir(directory).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const owners = pids.map((pid) =>
    stat(join(directory, pid)).then(
      ({ uid }) => uid,
      () => 0,
    ),
  );
  return new Set(await Promise.all(owners));
}
