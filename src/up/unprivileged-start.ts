/**
 * How root starts a program without root's privileges: as a user of its own, which has to be able to read the program.
 * Directories that are closed to others, as /root is, may stand in its way. What lies behind them it reaches through
 * its working directory, which it is handed open.
 */
import { access, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstClosedDirectory, type UnixUser } from '../embedded/unprivileged.ts';

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

/** What stands in the way of starting it as another user, for the operator. */
export interface Obstacle {
  readonly obstacle: string;
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
const CODE = (() => {
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const [above] = root.split(`${sep}node_modules${sep}`);
  return above!;
})();

/**
 * The rights of a program that runs as `user`, and reads `files` besides its own (a file that does not exist yet counts
 * by its directory). Its compiled code is kept in the directory `cache`, where it can get there. Gives what is in the
 * way when it cannot run so.
 */
export async function programRights(
  program: string,
  user: UnixUser,
  files: readonly string[],
  cache: string,
): Promise<ProgramRights | Obstacle> {
  const door =
    (await firstClosedDirectory(dirname(program), user)) ??
    (await firstClosedDirectory(dirname(process.execPath), user));
  const isClosed = door !== undefined;
  if (
    isClosed &&
    (await access(SELF).then(
      () => false,
      () => true,
    ))
  )
    return { obstacle: `cannot pass ${door}` };
  const code = CODE;
  const path = (of: string) => {
    const absolute = resolve(of);
    return isClosed && `${absolute}${sep}`.startsWith(`${code}${sep}`)
      ? join(HERE, relative(code, absolute))
      : absolute;
  };
  for (const file of [program, join(code, 'node_modules', 'pg', 'package.json'), ...files]) {
    const closed = await unreadable(resolve(file), user, path(file).startsWith(HERE) ? code : undefined);
    if (closed !== undefined) return { obstacle: closed };
  }
  return {
    user,
    node: isClosed ? SELF : process.execPath,
    nodeArgs: isClosed ? KEEP_NAMES : [],
    ...(isClosed ? { cwd: code } : {}),
    path,
    env: { NODE_COMPILE_CACHE: (await prepareCache(user, cache, path)) ?? '' },
  };
}

/** What keeps the user from reading the file; directories above `from` do not count. */
async function unreadable(file: string, user: UnixUser, from: string | undefined): Promise<string | undefined> {
  const entry = await stat(file).catch(() => undefined);
  const door = await firstClosedDirectory(entry === undefined ? dirname(file) : file, user, from).catch(
    () => undefined,
  );
  if (door !== undefined) return `cannot pass ${door} to read ${file}`;
  if (entry === undefined) return undefined;
  const bit = entry.uid === user.uid ? 0o400 : entry.gid === user.gid ? 0o040 : 0o004;
  return (entry.mode & bit) === 0 ? `cannot read ${file}` : undefined;
}

/** What the directory is called by the user, who owns it; undefined where that does not work, nor is it a must. */
async function prepareCache(
  user: UnixUser,
  directory: string,
  path: (of: string) => string,
): Promise<string | undefined> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o755 });
    await chown(directory, user.uid, user.gid);
    const from = path(directory).startsWith(HERE) ? CODE : undefined;
    return (await firstClosedDirectory(resolve(directory), user, from)) === undefined ? path(directory) : undefined;
  } catch {
    return undefined;
  }
}

/** The first port that unprivileged users may listen on. */
export async function firstUnprivilegedPort(): Promise<number> {
  const text = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024');
  return Number(text);
}
