/** Removes what an earlier start left in the cluster: a server, a pid file, sockets. Servers that respond are kept. */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { isProcessAlive, runToEnd, type UnixUser } from './child-processes.ts';
import type { EmbeddedPaths } from './file-paths.ts';
import { findSocketFiles, respondingSockets } from './postgres-sockets.ts';
import { readClusterFile, replaceClusterFile } from './safe-cluster-files.ts';

/** A setting with the id of the process that started the server. PostgreSQL does not know it, and keeps it. */
export const STARTED_BY_SETTING = 'chain_indexer.started_by';

type Cluster = Pick<EmbeddedPaths, 'cluster'>;
type ClusterAndSockets = Pick<EmbeddedPaths, 'cluster' | 'sockets'>;

interface PidFile {
  readonly pid: number;
  readonly lines: readonly string[];
}

/** The time to wait for a process that must end by itself. */
interface PredecessorPatience {
  /** The time for a server that we asked to stop. */
  readonly shutdownMs: number;
  /** The time for a server that we may not stop, but that its owner may be stopping. */
  readonly strangerMs: number;
}

const PATIENCE: PredecessorPatience = { shutdownMs: 60_000, strangerMs: 5_000 };
const LOOK_AGAIN_MS = 50;

/**
 * Makes room for a new server, which runs as `user` if we are root. The caller must hold the lock of the data
 * directory. A server left by a dead program of ours is stopped. For any other server that runs, or answers on one of
 * the sockets, an `OperatorError` is thrown: it may belong to another program, or to one in another container, whose
 * processes are not visible here. Remains without a server are removed.
 */
export async function removePreviousServer(
  paths: ClusterAndSockets,
  user: UnixUser | undefined,
  patience = PATIENCE,
): Promise<void> {
  const left = await readPidFile(paths);
  const command = left !== undefined && isProcessAlive(left.pid) ? await commandOf(left.pid) : '';
  const isServer = command.includes(paths.cluster);
  if (left !== undefined && isServer) {
    if (!(await isOrphan(left.pid, command))) throw strangerRuns(paths, `(process ${left.pid})`);
    await stopOrphan(paths, left.pid, patience.shutdownMs);
  }
  for (const deadline = performance.now() + patience.strangerMs; ; await sleep(LOOK_AGAIN_MS)) {
    const answered = await respondingSockets(paths);
    if (answered.length === 0) break;
    if (performance.now() > deadline) throw strangerRuns(paths, `answers at ${answered[0]} and`);
  }
  if (left !== undefined && !isServer) await disownPidFile(paths, left, user);
  for (const file of await findSocketFiles(paths)) await rm(file, { force: true });
}

function strangerRuns(paths: Cluster, which: string): OperatorError {
  return new OperatorError(
    `A PostgreSQL server that this program did not start ${which} uses ${paths.cluster}; it may belong to another ` +
      'program or container. Nothing was touched. Stop it, then start again, or choose another --data-dir.',
  );
}

/** A server of ours whose parent program has died. One without our mark is an administrator's, or an older release's. */
async function isOrphan(pid: number, command: string): Promise<boolean> {
  const startedBy = new RegExp(`${STARTED_BY_SETTING.replace('.', '\\.')}=(\\d+)`).exec(command)?.[1];
  if (startedBy === undefined) return false;
  return (await parentOf(pid)) !== startedBy;
}

async function parentOf(pid: number): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  if (status !== undefined) return /^PPid:\s*(\d+)$/m.exec(status)?.[1];
  return (await runToEnd('ps', ['-o', 'ppid=', '-p', String(pid)])).stdout.trim();
}

async function stopOrphan({ cluster }: Cluster, pid: number, withinMs: number): Promise<void> {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    throw new OperatorError(
      `A PostgreSQL server of another user (process ${pid}) uses ${cluster}. Stop it, then start again.`,
    );
  }
  for (const deadline = performance.now() + withinMs; isProcessAlive(pid); await sleep(LOOK_AGAIN_MS)) {
    if (performance.now() > deadline)
      throw new OperatorError(
        `The PostgreSQL server with process id ${pid} still uses ${cluster} and does not stop. Stop it, then start again.`,
      );
  }
}

/**
 * Replaces the pid file if its process id now belongs to another program. PostgreSQL itself checks whether the process
 * of a pid file has ended, and whether anything still uses its shared memory, so the file normally stays. But a reused
 * process id (in containers they are low, and repeat) misleads PostgreSQL: then our id is written there, which it knows
 * to be its parent's. An empty file, as after a power cut, is removed.
 */
async function disownPidFile(paths: Cluster, { pid, lines }: PidFile, user: UnixUser | undefined): Promise<void> {
  const file = pidFile(paths);
  if (Number.isNaN(pid)) return rm(file, { force: true });
  if (!isProcessAlive(pid)) return;
  await replaceClusterFile(file, [process.pid, ...lines.slice(1)].join('\n'), user);
}

const pidFile = ({ cluster }: Cluster) => join(cluster, 'postmaster.pid');

/** Reads the pid file of the cluster; `pid` is NaN if it is not a number. */
export async function readPidFile(paths: Cluster): Promise<PidFile | undefined> {
  const text = await readClusterFile(pidFile(paths));
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return { pid: Number.isSafeInteger(pid) && pid > 0 ? pid : Number.NaN, lines };
}

async function commandOf(pid: number): Promise<string> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return commandLine ?? (await runToEnd('ps', ['-o', 'command=', '-p', String(pid)])).stdout;
}
