/**
 * Which user runs which program: as root each runs as a user of its own, unless it needs something that only root can
 * access.
 */
import { chown, open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isNetworkFile } from '../config/network.ts';
import { nodeOf } from '../config/node.ts';
import type { UpConfig } from '../config/up.ts';
import type { ProgramName, Users } from '../embedded/user-ids.ts';
import { programFile } from './programs.ts';
import { AS_WE_RUN, firstUnprivilegedPort, type ProgramRights, programRights } from './unprivileged-start.ts';

export interface Assignment {
  readonly rights: Readonly<Record<ProgramName, ProgramRights>>;
  /** What the operator should know of it. */
  readonly notes: readonly string[];
}

/** What the programs need besides their own files. */
export interface Needs {
  /** For `--network`: a known name, or the path of a file. */
  readonly networkArgument: string;
  /** The devnet's file, which it reads, or writes when it simulates the chain; undefined without a devnet. */
  readonly chainFile: string | undefined;
}

/** `users`: undefined when we are not root, and everything runs as we do. */
export async function assign(config: UpConfig, needs: Needs, users: Users | undefined): Promise<Assignment> {
  const assigned: Record<ProgramName, ProgramRights> = {
    scanner: AS_WE_RUN,
    'web-server': AS_WE_RUN,
    devnet: AS_WE_RUN,
  };
  const notes: string[] = [];
  if (users !== undefined) {
    const { networkArgument, chainFile } = needs;
    const files = [
      ...(isNetworkFile(networkArgument) ? [networkArgument] : []),
      ...nodeFiles(config),
      ...(await postgresFiles(config)),
    ];
    if (chainFile !== undefined && config.source.type === 'simulation') await give(chainFile, users.programs.devnet);
    const obstacles = new Map<string, ProgramName[]>();
    // Beside PostgreSQL's files, which lie where other users can go to.
    const home = await realpath(join(config.dataDir, 'postgres')).catch(() => config.dataDir);
    const decide = async (name: ProgramName, ofProgram: readonly string[]) => {
      const rights = await programRights(programFile(name), users.programs[name], ofProgram, join(home, 'cache', name));
      const obstacle =
        'obstacle' in rights ? rights.obstacle : (peerObstacle(name, config) ?? (await portObstacle(name, config)));
      if (obstacle === undefined) assigned[name] = rights as ProgramRights;
      else obstacles.set(obstacle, [...(obstacles.get(obstacle) ?? []), name]);
    };
    await decide('scanner', files);
    await decide('web-server', files);
    if (chainFile !== undefined) await decide('devnet', [chainFile]);
    for (const [obstacle, names] of obstacles)
      notes.push(`Running as root: ${names.join(' and ')}, because a user without its rights ${obstacle}.`);
  }
  const { host } = config.bindAddress;
  if (process.getuid?.() === 0 && assigned['web-server'].user === undefined && !isLoopback(host))
    notes.push(
      `WARNING: the web server runs as root and listens on ${host} for other machines. Start as an ordinary user, or ` +
        'mend what is in the way.',
    );
  return { rights: assigned, notes };
}

const isLoopback = (host: string) => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(host);

/** At a socket PostgreSQL may go by the user that asks instead of a password. */
function peerObstacle(name: ProgramName, { database }: UpConfig): string | undefined {
  if (name === 'devnet' || database.type === 'embedded' || database.password !== undefined) return undefined;
  if (process.env.PGPASSWORD !== undefined || !database.host.startsWith('/')) return undefined;
  return `would be somebody else to PostgreSQL at the socket in ${database.host}`;
}

async function portObstacle(name: ProgramName, { bindAddress: { port } }: UpConfig): Promise<string | undefined> {
  if (name !== 'web-server' || port === 0 || port >= (await firstUnprivilegedPort())) return undefined;
  return `may not listen on port ${port}`;
}

/** The cookie file of a real node; programs read it again after each start of the node. */
function nodeFiles({ source }: UpConfig): string[] {
  if (source.type !== 'node') return [];
  const { auth } = nodeOf(
    {
      'node-rpc-address': source.address,
      'node-rpc-cookie-file': source.settings['node-rpc-cookie-file'],
      'node-rpc-username': source.settings['node-rpc-username'],
      'node-rpc-password': source.settings['node-rpc-password'],
    },
    source.network,
  );
  return auth.type === 'cookie' ? [auth.file] : [];
}

/** What a connection to a PostgreSQL of the operator's own may need; for the embedded one nothing is read. */
async function postgresFiles({ database }: UpConfig): Promise<string[]> {
  const { NODE_EXTRA_CA_CERTS: authorities, PGPASSFILE: given, PGPASSWORD: password } = process.env;
  const files = authorities ? [authorities] : [];
  if (database.type === 'embedded' || database.password !== undefined || password !== undefined) return files;
  const passwords = given ?? join(homedir(), '.pgpass');
  return (await stat(passwords).catch(() => undefined)) === undefined ? files : [...files, passwords];
}

/** The file, made when there is none, belongs to the user. */
async function give(file: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await (await open(file, 'a', 0o644)).close();
  await chown(file, uid, gid);
}
