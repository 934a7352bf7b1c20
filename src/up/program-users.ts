/**
 * Chooses the user of each program: as root the unprivileged one, unless a program needs something that only root can
 * access. Directories that are closed to others, such as /root, may stand in its way. The program reaches files behind
 * such directories through an already open working directory.
 */

import { existsSync } from 'node:fs';
import { chown, constants, mkdir, open, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNetworkFile } from '../config/network.ts';
import type { UnixUser } from '../embedded/child-processes.ts';
import { canUserAccess } from '../embedded/unprivileged-user.ts';
import { type ProgramRights, programFile } from './child-programs.ts';
import type { UpConfig } from './options.ts';

const AS_WE_RUN: ProgramRights = {
  user: undefined,
  node: process.execPath,
  nodeArgs: [],
  path: (path) => path,
  env: {},
};

/** `/proc/self/exe` and `/proc/self/cwd`: the kernel does not check the directories above them. */
const SELF = '/proc/self/exe';
const HERE = '/proc/self/cwd';
/** Symbolic links are not resolved, because Node would look up the closed directories. */
const KEEP_NAMES = ['--preserve-symlinks', '--preserve-symlinks-main'];

/** The directory of all files that a program loads: above node_modules if it was installed as a package. */
const CODE = fileURLToPath(new URL('../..', import.meta.url))
  .replace(/\/$/, '')
  .split(`${sep}node_modules${sep}`)[0]!;
/** A file that every program loads besides its own. */
const DEPENDENCY = join(CODE, 'node_modules', 'pg', 'package.json');

/** The rights of programs that run as `user` and cache their compiled code in the directory `cache`. */
async function unprivilegedRights(user: UnixUser, cache: string): Promise<ProgramRights> {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await chown(cache, user.uid, user.gid);
  const rights = { ...AS_WE_RUN, user, env: { NODE_COMPILE_CACHE: cache } };
  if ((await canUserAccess(CODE, user)) && (await canUserAccess(dirname(process.execPath), user))) return rights;
  const path = (of: string) => {
    const absolute = resolve(of);
    return `${absolute}${sep}`.startsWith(`${CODE}${sep}`) ? join(HERE, relative(CODE, absolute)) : absolute;
  };
  return { ...rights, node: SELF, nodeArgs: KEEP_NAMES, cwd: CODE, path };
}

/** Returns the first file that a program cannot read; for a file that does not exist yet, its directory counts. */
async function firstUnreadable(files: readonly string[], { user, cwd, path }: ProgramRights) {
  for (const file of files) {
    let found = resolve(file);
    while (!existsSync(found)) found = dirname(found);
    if (!(await canUserAccess(path(found), user, cwd))) return file;
  }
  return undefined;
}

type ProgramName = 'scanner' | 'web-server' | 'devnet';

/** The files that the programs need besides their own. */
interface Needs {
  /** The value of `--network`: a known name, or the path of a file. */
  readonly networkArgument: string;
  /** The devnet's file, which it reads, or writes when it simulates the chain; undefined without a devnet. */
  readonly chainFile: string | undefined;
}

/** Decides the rights of each program. `user`: undefined if we are not root, and everything runs as the current user. */
export async function assignProgramRights(config: UpConfig, needs: Needs, user: UnixUser | undefined) {
  const { networkArgument, chainFile } = needs;
  const assigned = { scanner: AS_WE_RUN, 'web-server': AS_WE_RUN, devnet: AS_WE_RUN };
  const notes: string[] = [];
  const { source, bindAddress } = config;
  if (user !== undefined) {
    const files = [
      ...(isNetworkFile(networkArgument) ? [networkArgument] : []),
      // Programs read the cookie file again after each start of the node.
      ...(source.type === 'node' && source.node.auth.type === 'cookie' ? [source.node.auth.file] : []),
      ...postgresFiles(config),
    ];
    if (chainFile !== undefined && source.type === 'simulation') await give(chainFile, user);
    // The directory beside PostgreSQL's files, which the user can reach.
    const home = await realpath(join(config.dataDir, 'postgres')).catch(() => config.dataDir);
    const rights = await unprivilegedRights(user, join(home, 'cache'));
    const decide = async (name: ProgramName, ofProgram: readonly string[], ...obstacles: (string | undefined)[]) => {
      const file = await firstUnreadable([programFile(name), DEPENDENCY, ...ofProgram], rights);
      const obstacle = file === undefined ? obstacles.find((text) => text !== undefined) : `cannot read ${file}`;
      if (obstacle === undefined) assigned[name] = rights;
      else notes.push(`Running as root: ${name}, because a user without its rights ${obstacle}.`);
    };
    await decide('scanner', files, peerObstacle(config));
    await decide('web-server', files, peerObstacle(config), await portObstacle(bindAddress.port));
    if (chainFile !== undefined) await decide('devnet', [chainFile]);
  }
  const isRoot = process.getuid?.() === 0 && assigned['web-server'].user === undefined;
  if (isRoot && !isLoopback(bindAddress.host))
    notes.push(
      `WARNING: the web server runs as root and listens on ${bindAddress.host} for other machines. Start as an ordinary ` +
        'user, or mend what is in the way.',
    );
  /** `notes`: messages for the operator. */
  return { rights: assigned, notes };
}

const isLoopback = (host: string) => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(host);

/** Returns why another user may not log in: on a socket without a password, PostgreSQL may use peer authentication. */
function peerObstacle({ database }: UpConfig): string | undefined {
  if (database.type === 'embedded' || database.password !== undefined) return undefined;
  if (process.env.PGPASSWORD !== undefined || !database.host.startsWith('/')) return undefined;
  return `would be somebody else to PostgreSQL at the socket in ${database.host}`;
}

async function portObstacle(port: number): Promise<string | undefined> {
  const text = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024');
  return port === 0 || port >= Number(text) ? undefined : `may not listen on port ${port}`;
}

/** Returns files that a connection to the operator's PostgreSQL may need; the embedded one needs none. */
function postgresFiles({ database }: UpConfig): string[] {
  const { NODE_EXTRA_CA_CERTS: authorities, PGPASSFILE: given, PGPASSWORD: password } = process.env;
  const files = authorities ? [authorities] : [];
  if (database.type === 'embedded' || database.password !== undefined || password !== undefined) return files;
  const passwords = given ?? join(homedir(), '.pgpass');
  return existsSync(passwords) ? [...files, passwords] : files;
}

/** Creates the file if missing and gives it to the user; refuses anything that is not a regular file. */
async function give(path: string, { uid, gid }: UnixUser): Promise<void> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  await file.chown(uid, gid).finally(() => file.close());
}
