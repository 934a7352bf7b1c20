/** PostgreSQL's data directory: made once by initdb, judged before each start. */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../config/operator-error.ts';
import type { Binaries } from './binaries.ts';
import type { Place } from './place.ts';
import { run } from './process.ts';
import type { UnixUser } from './unprivileged.ts';

/** The database user of an embedded PostgreSQL; it owns everything there. */
export const CLUSTER_USER = 'chain_indexer';
/** The first with a locale of its own, the same on every machine. */
const BUILTIN_LOCALE_SINCE = 17;

/** Makes the data directory when there is none; gives the password of `CLUSTER_USER`. */
export async function prepareCluster(
  place: Place,
  binaries: Binaries,
  user: UnixUser | undefined,
  temporary: boolean,
): Promise<string> {
  const version = await readFile(join(place.cluster, 'PG_VERSION'), 'utf8').catch(
    async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      await checkOwner(place, user);
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
    return initialise(place, binaries, user, temporary);
  }
  await checkOwner(place, user);
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

/** Refuses a cluster that belongs to somebody else. */
async function checkOwner({ cluster }: Place, user: UnixUser | undefined): Promise<void> {
  const runner = user?.uid ?? process.getuid?.();
  const uid = await stat(cluster).then(
    (entry) => entry.uid,
    () => runner,
  );
  if (uid === runner) return;
  throw new OperatorError(
    `The database in ${cluster} belongs to another user (user id ${uid}; PostgreSQL would run as ${runner}). ` +
      'Start as that user, or choose another --data-dir.',
  );
}

async function majorVersion(binaries: Binaries): Promise<string> {
  const { stdout } = await run(binaries.postgres, ['--version']);
  return /(\d+)/.exec(stdout)?.[1] ?? stdout.trim();
}

/** Under another name until it is whole: an interrupted initdb leaves nothing that looks like a database. */
async function initialise(
  place: Place,
  binaries: Binaries,
  user: UnixUser | undefined,
  temporary: boolean,
): Promise<string> {
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
    throw new OperatorError(`The database could not be made in ${place.home}: ${reasonOf(output)}.`);
  }
  await rename(unfinished, place.cluster);
  return password;
}

/** The line of PostgreSQL's output that says why it gave up. */
export function reasonOf(output: string): string {
  if (/No space left on device|Disk quota exceeded/.test(output)) return 'no space left on the device';
  const lines = output.split('\n').map((line) => line.trim());
  const complaint =
    lines.findLast((line) => /(?:FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.findLast((line) => line !== '');
  return complaint?.replace(/^.*?(?:FATAL|PANIC|ERROR|error):\s*/, '').replace(/\.$/, '') ?? 'it said nothing';
}
