/** PostgreSQL's data directory: created once by initdb, checked before each start. */
import { randomBytes } from 'node:crypto';
import { chown, lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import type { Binaries } from './binaries.ts';
import type { Place } from './place.ts';
import { run } from './spawn.ts';
import type { UnixUser } from './unprivileged.ts';
import { isOwnId, type Users } from './user-ids.ts';

/** The database user of an embedded PostgreSQL; it owns everything there. */
export const CLUSTER_USER = 'chain_indexer';
/** The first with a locale of its own, the same on every machine. */
const BUILTIN_LOCALE_SINCE = 17;

/** Makes the data directory when there is none; gives the password of `CLUSTER_USER`. */
export async function prepareCluster(
  place: Place,
  binaries: Binaries,
  users: Users | undefined,
  temporary: boolean,
): Promise<string> {
  const version = await readFile(join(place.cluster, 'PG_VERSION'), 'utf8').catch(
    async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      await checkOwner(place, users);
      throw error;
    },
  );
  if (version === undefined) {
    const entries = await readdir(place.cluster).catch(() => []);
    if (entries.length > 0)
      throw new OperatorError(
        `${place.cluster} is not empty, but no PostgreSQL data directory either. Nothing in it was touched. ` +
          'Move it away, or choose another --data-dir.',
      );
    return initialise(place, binaries, users, temporary);
  }
  await checkOwner(place, users);
  const ours = await majorVersion(binaries);
  if (version.trim() !== ours)
    throw new OperatorError(
      `The database in ${place.cluster} was made by PostgreSQL ${version.trim()}, this program brings PostgreSQL ${ours}. ` +
        'Nothing was touched. Choose another --data-dir (the chain is then indexed anew), or move this one away.',
    );
  return readFile(place.passwordFile, 'utf8').catch((error: unknown) => {
    throw new OperatorError(
      `The database password in ${place.passwordFile} cannot be read. ` +
        `Restore that file, or move ${place.home} away: the chain is then indexed anew.`,
      { cause: error },
    );
  });
}

/**
 * Refuses a cluster that belongs to another user; one of an earlier release, which ran it as `nobody`, is taken over.
 */
async function checkOwner({ cluster }: Place, users: Users | undefined): Promise<void> {
  const runner = users?.postgres.uid ?? process.getuid?.();
  const uid = await stat(cluster).then(
    (entry) => entry.uid,
    () => runner,
  );
  if (uid === runner) return;
  if (users !== undefined && uid !== undefined && (uid === users.initdb.uid || isOwnId(uid)))
    return giveAll(cluster, users.postgres);
  throw new OperatorError(
    `The database in ${cluster} belongs to another user (user id ${uid}; PostgreSQL would run as ${runner}). ` +
      'Start as that user, or choose another --data-dir.',
  );
}

/** The directory and all that is in it; itself last, so that an interruption is noticed the next time. */
async function giveAll(directory: string, { uid, gid }: UnixUser): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await giveAll(path, { name: '', uid, gid });
    else await lchown(path, uid, gid);
  }
  await lchown(directory, uid, gid);
}

async function majorVersion(binaries: Binaries): Promise<string> {
  const { stdout } = await run(binaries.postgres, ['--version']);
  return /(\d+)/.exec(stdout)?.[1] ?? stdout.trim();
}

/** Under another name until it is whole: an interrupted initdb leaves nothing that looks like a database. */
async function initialise(
  place: Place,
  binaries: Binaries,
  users: Users | undefined,
  temporary: boolean,
): Promise<string> {
  const user = users?.initdb;
  const password = randomBytes(18).toString('base64url');
  const unfinished = `${place.cluster}.new`;
  const passwordInput = `${place.passwordFile}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(place.passwordFile, password, { mode: 0o600 });
  await writeFile(passwordInput, password, { mode: 0o600 });
  if (user !== undefined) {
    await chown(unfinished, user.uid, user.gid);
    await chown(passwordInput, user.uid, user.gid);
  }
  const { code, output } = await run(
    binaries.initdb,
    [
      `--pgdata=${unfinished}`,
      `--username=${CLUSTER_USER}`,
      `--pwfile=${passwordInput}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(Number(await majorVersion(binaries)) >= BUILTIN_LOCALE_SINCE
        ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
        : []),
      ...(temporary ? ['--no-sync'] : []),
    ],
    user,
  );
  await rm(passwordInput, { force: true });
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new OperatorError(`The database could not be made in ${place.home}: ${failureReasonOf(output)}.`);
  }
  if (users !== undefined) await giveAll(unfinished, users.postgres);
  await rename(unfinished, place.cluster);
  return password;
}

/** How a line of the server's log begins: time, process id, and what kind of process that is. */
export const LOG_LINE_PREFIX = '%m [%p] %b: ';
const LOG_LINE = /^[\d-]+ [\d:.]+ \S+ \[\d+\] ([\w ]+): ([A-Z]+\d?):\s+(.*)$/;
const NO_SPACE = /No space left on device|Disk quota exceeded/;
/** Log lines of every start and stop: they are no reason for a failure. */
const NO_REASON =
  /^(starting PostgreSQL|listening on|database system (is|was) |.* terminated by signal|aborting startup)/;

/** The line of PostgreSQL's output that says why a program of it, initdb say, gave up. */
export function failureReasonOf(output: string): string {
  if (NO_SPACE.test(output)) return 'no space left on the device';
  const lines = output.split('\n').map((line) => line.trim());
  const complaint =
    lines.findLast((line) => /(?:FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.findLast((line) => line !== '');
  return withoutStop(complaint?.replace(/^.*?(?:FATAL|PANIC|ERROR|error):\s*/, '')) ?? 'it said nothing';
}

/**
 * Why the server ended, from its log since its start. What went wrong for clients is in there, too: that says nothing
 * about the server. `undefined` when it says nothing at all, as when it was killed.
 */
export function endReasonOf(log: string): string | undefined {
  const said: { level: string; text: string }[] = [];
  for (const line of log.split('\n')) {
    const [, process, level = '', text = ''] = LOG_LINE.exec(line) ?? [];
    if (process !== undefined && !isOfServer(process)) continue;
    if (process !== undefined) said.push({ level, text });
    // Before it knows how its lines are to begin; what belongs to the line before begins with a tab.
    else if (/^\S/.test(line)) said.push({ level: /(FATAL|PANIC):/.exec(line)?.[1] ?? '', text: line });
  }
  const grave = said.findLast(({ level }) => level === 'PANIC' || level === 'FATAL');
  if (grave !== undefined && NO_SPACE.test(grave.text)) return 'no space left on the device';
  const last = grave ?? said.findLast(({ text }) => !NO_REASON.test(text));
  return withoutStop(last?.text.replace(/^.*?(?:FATAL|PANIC|ERROR|error):\s*/, ''));
}

/** The server's own processes, except backends and other workers. */
const isOfServer = (process: string) => !/^(client backend|.*worker|standalone backend)$/.test(process);

const withoutStop = (text: string | undefined) => text?.replace(/\.$/, '');
