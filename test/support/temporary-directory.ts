/** Temporary directories of tests. */
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './file-scope.ts';

/** A directory that is gone when the test has ended. */
export async function temporaryDirectory(t: Scope): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Where Linux has a file system in memory. */
const IN_MEMORY = '/dev/shm';
/** Several times what the databases of four test files at once take. */
const NEEDED_BYTES = 4_000_000_000;

/**
 * An empty directory for PostgreSQL's files that other users may pass, because PostgreSQL runs as one of them when we are root. In memory where
 * there is room: the tests create and drop hundreds of databases, which takes a disk's file system several times as long.
 */
export async function memoryDirectory(prefix: string): Promise<string> {
  const directory = await mkdtemp(join((await isSuitable()) ? IN_MEMORY : tmpdir(), prefix));
  await chmod(directory, 0o711);
  return directory;
}

/** The same, gone when the test has ended. */
export async function temporaryMemoryDirectory(t: Scope, prefix: string): Promise<string> {
  const directory = await memoryDirectory(prefix);
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function isSuitable(): Promise<boolean> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const options = mounts.split('\n').findLast((line) => line.split(' ')[1] === IN_MEMORY);
  // In a container it is small, and the copy of PostgreSQL for another user could not be run from it.
  if (options === undefined || /\bnoexec\b/.test(options)) return false;
  const { bsize, bavail } = await statfs(IN_MEMORY);
  return Math.min(bsize * bavail, process.availableMemory()) >= NEEDED_BYTES;
}
