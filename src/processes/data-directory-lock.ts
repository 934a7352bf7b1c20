/**
 * Prevents two programs from using the same data directory, even in separate containers.
 *
 * The lock is SQLite's lock on a file in the directory (`node:sqlite`; nothing is stored there), which is a record lock
 * of the kernel. It belongs to the file, so processes of all namespaces see it, and the kernel releases it when the
 * process ends for any reason.
 */
import { chmod, mkdir, readFile, realpath, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { dataDirectoryError, OperatorError } from '../errors/operator-error.ts';

/** SQLite's primary result codes. */
const SQLITE_BUSY = 5;
/** The locks that are held; a garbage-collected lock would be released. */
const held = new Set<DatabaseSync>();

/**
 * Locks the data directory for this process, and creates it if necessary. Throws an `OperatorError` if another process
 * has it, or the directory cannot be used.
 */
export async function lockDataDirectory(dataDir: string) {
  try {
    await makeDirectories(resolve(dataDir));
    // Only the owner has access: anybody who can open the file for reading could hold a lock on it, too.
    const directory = join(await realpath(dataDir), 'lock');
    await makeDirectory(directory, 0o700);
    await chmod(directory, 0o700);
    const note = sharedFileSystemWarning((await statfs(directory)).type);
    const holderFile = join(directory, 'holder.json');
    const lock = acquire(join(directory, 'file'));
    if (lock === undefined) throw new OperatorError(await rivalText(dataDir, holderFile));
    held.add(lock);
    await writeHolder(holderFile);
    return {
      /** A warning, if other machines may have the files but do not see the lock. */
      note,
      async release() {
        await rm(holderFile, { force: true });
        held.delete(lock);
        lock.close();
      },
    };
  } catch (error) {
    throw dataDirectoryError(dataDir, error);
  }
}

/** Acquires the lock; `undefined` if another process has it. */
function acquire(file: string): DatabaseSync | undefined {
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
  if (sqlite === undefined)
    throw new OperatorError(
      `This Node (${process.execPath}) was built without SQLite, which locks the data directory. Use another one.`,
    );
  const lock = new sqlite.DatabaseSync(file);
  try {
    // Nothing is written, so there is nothing to roll back.
    lock.exec('pragma journal_mode = off; pragma locking_mode = exclusive; begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/** File systems shared by machines, each of which has its own locks: 9p, FUSE and virtiofs, vboxsf, prl_fs, AFS. */
const LOCKS_HERE_ONLY = [0x01021997, 0x65735546, 0x786f4256, 0x7c7c6673, 0x5346414f];

/** `type`: the magic number of the file system, see statfs(2); macOS has other numbers. */
export function sharedFileSystemWarning(type: number): string | undefined {
  if (!LOCKS_HERE_ONLY.includes(type)) return undefined;
  return (
    'The data directory is on a file system that other machines may share, and they may not see its lock: never let two ' +
    'machines use it at once.'
  );
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

async function writeHolder(file: string): Promise<void> {
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  await writeFile(`${file}.new`, `${JSON.stringify(holder)}\n`);
  await rename(`${file}.new`, file);
}

async function rivalText(dataDir: string, holderFile: string): Promise<string> {
  const holder = await readFile(holderFile, 'utf8')
    .then((text) => JSON.parse(text) as Holder)
    .catch(() => undefined);
  const who = holder === undefined ? '' : ` (process ${holder.pid} on host ${holder.host}, since ${holder.since})`;
  return `Another chain-indexer uses the data directory ${dataDir}${who}. Stop it first, or choose another with --data-dir.`;
}

/** Creates directories recursively. Node's own `recursive` hangs below /proc, and reports a read-only file system as ENOENT. */
async function makeDirectories(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await makeDirectories(dirname(path));
    await mkdir(path);
  }
}

async function makeDirectory(path: string, mode?: number): Promise<void> {
  await mkdir(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
