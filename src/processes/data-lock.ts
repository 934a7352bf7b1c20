/** Keeps two programs apart that would use one data directory. */
import { createHash } from 'node:crypto';
import { mkdir, realpath, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { OperatorError, systemErrorText } from '../config/operator-error.ts';
import { isAnswered } from '../embedded/is-answered.ts';

export interface DataLock {
  release(): Promise<void>;
}

/**
 * Takes the data directory for this process. What is held is a local socket, so that nothing stale is left however the
 * process ends. Throws an `OperatorError` when another process has it, or the directory cannot be made.
 */
export async function lockDataDirectory(dataDir: string): Promise<DataLock> {
  const directory = await makeDirectories(resolve(dataDir))
    .then(() => realpath(dataDir))
    .catch((error: unknown) => {
      throw new OperatorError(
        `The data directory ${dataDir} cannot be used: ${systemErrorText(error)}. Choose another with --data-dir.`,
        { cause: error },
      );
    });
  const name = `chain-indexer-${createHash('sha256').update(directory).digest('hex').slice(0, 24)}`;
  // Linux knows names without a file; elsewhere the file of a dead process may be in the way.
  const path = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  const server = (await listen(path)) ?? ((await isAnswered(path)) ? undefined : await replace(path));
  if (server === undefined)
    throw new OperatorError(
      `Another chain-indexer uses the data directory ${dataDir}. Stop it first, or choose another with --data-dir.`,
    );
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** As `mkdir` with `recursive`, which never returns where a directory like /proc takes no new ones. */
async function makeDirectories(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await makeDirectories(dirname(path));
    await mkdir(path);
  }
}

/** A server at `path`, `undefined` when something is there already. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server));
  });
}

async function replace(path: string): Promise<Server | undefined> {
  if (!path.startsWith('\0')) await unlink(path).catch(() => undefined);
  return listen(path);
}
