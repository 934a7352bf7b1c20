/**
 * How root starts a program without root's privileges: as another user, who has to be able to read the program.
 * Directories that are closed to others, as /root is, may stand in its way. What lies behind them it reaches through
 * its working directory, which it is handed open.
 */
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mayUse, type UnixUser } from '../embedded/unprivileged-user.ts';

/** How a program is to be started. */
export interface ProgramRights {
  /** Undefined: as we run. */
  readonly user: UnixUser | undefined;
  /** The directory that the program is started in; ours when undefined. */
  readonly cwd?: string;
  /** The Node that runs it. */
  readonly node: string;
  readonly nodeArgs: readonly string[];
  /** A path of ours, as the program can use it. */
  path(path: string): string;
  readonly env: Readonly<Record<string, string>>;
}

/** Our own rights. */
export const AS_WE_RUN: ProgramRights = {
  user: undefined,
  node: process.execPath,
  nodeArgs: [],
  path: (path) => path,
  env: {},
};

/**
 * Two words for the process itself and its working directory: the kernel goes there without a look at what is above.
 */
const SELF = '/proc/self/exe';
const HERE = '/proc/self/cwd';
/** Names are kept as they are, or Node would look for the directories that are closed. */
const KEEP_NAMES = ['--preserve-symlinks', '--preserve-symlinks-main'];

/** Where everything lies that a program loads: above node_modules when it was installed as a package. */
const CODE = fileURLToPath(new URL('../..', import.meta.url))
  .replace(/\/$/, '')
  .split(`${sep}node_modules${sep}`)[0]!;
/** A file that every program loads besides its own. */
export const DEPENDENCY = join(CODE, 'node_modules', 'pg', 'package.json');

/** The rights of programs that run as `user`, and keep their compiled code in the directory `cache`. */
export async function unprivilegedRights(user: UnixUser, cache: string): Promise<ProgramRights> {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await chown(cache, user.uid, user.gid);
  const rights = { ...AS_WE_RUN, user, env: { NODE_COMPILE_CACHE: cache } };
  if ((await mayUse(CODE, user)) && (await mayUse(dirname(process.execPath), user))) return rights;
  const path = (of: string) => {
    const absolute = resolve(of);
    return `${absolute}${sep}`.startsWith(`${CODE}${sep}`) ? join(HERE, relative(CODE, absolute)) : absolute;
  };
  return { ...rights, node: SELF, nodeArgs: KEEP_NAMES, cwd: CODE, path };
}

/** The first of the files that a program cannot read; of one that does not exist yet, its directory counts. */
export async function firstUnreadable(
  files: readonly string[],
  { user, cwd, path }: ProgramRights,
): Promise<string | undefined> {
  for (const file of files) {
    let found = resolve(file);
    while (!existsSync(found)) found = dirname(found);
    if (!(await mayUse(path(found), user, cwd))) return file;
  }
  return undefined;
}

/** The first port that unprivileged users may listen on. */
export async function firstUnprivilegedPort(): Promise<number> {
  const text = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024');
  return Number(text);
}
