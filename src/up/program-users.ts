/** Which user runs which program: as root the unprivileged one, unless a program needs something that only root can access. */
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isNetworkFile } from '../config/network.ts';
import type { UpConfig } from '../config/up.ts';
import type { UnixUser } from '../embedded/unprivileged-user.ts';
import { programFile } from './programs.ts';
import {
  AS_WE_RUN,
  DEPENDENCY,
  firstUnprivilegedPort,
  firstUnreadable,
  type ProgramRights,
  unprivilegedRights,
} from './unprivileged-start.ts';

type ProgramName = 'scanner' | 'web-server' | 'devnet';

interface Assignment {
  readonly rights: Readonly<Record<ProgramName, ProgramRights>>;
  /** What the operator should know of it. */
  readonly notes: readonly string[];
}

/** What the programs need besides their own files. */
interface Needs {
  /** For `--network`: a known name, or the path of a file. */
  readonly networkArgument: string;
  /** The devnet's file, which it reads, or writes when it simulates the chain; undefined without a devnet. */
  readonly chainFile: string | undefined;
}

/** `user`: undefined when we are not root, and everything runs as we do. */
export async function assign(config: UpConfig, needs: Needs, user: UnixUser | undefined): Promise<Assignment> {
  const assigned: Record<ProgramName, ProgramRights> = {
    scanner: AS_WE_RUN,
    'web-server': AS_WE_RUN,
    devnet: AS_WE_RUN,
  };
  const notes: string[] = [];
  if (user !== undefined) {
    const { networkArgument, chainFile } = needs;
    const { source } = config;
    const files = [
      ...(isNetworkFile(networkArgument) ? [networkArgument] : []),
      // Programs read it again after each start of the node.
      ...(source.type === 'node' && source.node.auth.type === 'cookie' ? [source.node.auth.file] : []),
      ...(await postgresFiles(config)),
    ];
    if (chainFile !== undefined && source.type === 'simulation') await give(chainFile, user);
    // Beside PostgreSQL's files, which lie where the user can go to.
    const home = await realpath(join(config.dataDir, 'postgres')).catch(() => config.dataDir);
    const rights = await unprivilegedRights(user, join(home, 'cache'));
    const decide = async (name: ProgramName, ofProgram: readonly string[]) => {
      const file = await firstUnreadable([programFile(name), DEPENDENCY, ...ofProgram], rights);
      const obstacle =
        file === undefined ? (peerObstacle(name, config) ?? (await portObstacle(name, config))) : `cannot read ${file}`;
      if (obstacle === undefined) assigned[name] = rights;
      else notes.push(`Running as root: ${name}, because a user without its rights ${obstacle}.`);
    };
    await decide('scanner', files);
    await decide('web-server', files);
    if (chainFile !== undefined) await decide('devnet', [chainFile]);
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

/** What a connection to a PostgreSQL of the operator's own may need; for the embedded one nothing is read. */
async function postgresFiles({ database }: UpConfig): Promise<string[]> {
  const { NODE_EXTRA_CA_CERTS: authorities, PGPASSFILE: given, PGPASSWORD: password } = process.env;
  const files = authorities ? [authorities] : [];
  if (database.type === 'embedded' || database.password !== undefined || password !== undefined) return files;
  const passwords = given ?? join(homedir(), '.pgpass');
  return (await stat(passwords).catch(() => undefined)) === undefined ? files : [...files, passwords];
}

/** The file, made when there is none, belongs to the user; nothing else that is in its place. */
async function give(path: string, { uid, gid }: UnixUser): Promise<void> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  await file.chown(uid, gid).finally(() => file.close());
}
