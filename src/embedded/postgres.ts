/** An embedded PostgreSQL: started as a child of this process, stopped with it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { rm, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { findPostgresBinaries } from './binaries.ts';
import { spawnOptionsFor, type UnixUser } from './child-processes.ts';
import { prepareCluster, SUPERUSER_NAME } from './data-directory.ts';
import { type EmbeddedPaths, prepareEmbeddedPaths } from './file-paths.ts';
import { freePort } from './free-port.ts';
import { isReachable, prepareSockets, socketFile } from './postgres-sockets.ts';
import { readPidFile, removePreviousServer, STARTED_BY_SETTING } from './previous-server.ts';
import { BoundedServerLog, LOG_LINE_PREFIX, type LogLimits, postgresEndReason } from './server-log.ts';
import { changePassword } from './superuser-password.ts';
import { unprivilegedUser } from './unprivileged-user.ts';
import { Watchdog } from './watchdog.ts';

type Settings = Readonly<Record<string, string | number>>;

interface EmbeddedPostgresOptions {
  /** All files are in `<dataDir>/postgres`. */
  readonly dataDir: string;
  /** The user that runs it; default: the owner of the data directory. */
  readonly user?: UnixUser | undefined;
  /** The port; by default a free one is chosen. */
  readonly port?: number | undefined;
  /** Not to be chosen. */
  readonly reservedPort?: number | undefined;
  /** The directory with `initdb` and `postgres`; by default those of the npm package. */
  readonly programs?: string | undefined;
  /** The memory for the server, from which its settings follow. */
  readonly memoryBytes?: number | undefined;
  /** Used by tests: nothing is synced to disk, and the whole `dataDir` is removed when the server stops. */
  readonly temporary?: boolean;
  /** Settings of PostgreSQL that replace ours. */
  readonly settings?: Settings;
  /** Limits at which the log is rotated. */
  readonly logLimits?: LogLimits;
}

export type EmbeddedPostgres = Awaited<ReturnType<typeof startPostgres>>;

const ADDRESS = '127.0.0.1';
const MAX_CONNECTIONS = 100;
/** The connections that the web server may use; the rest is for the scanner and for administrators. */
export const WEB_SERVER_CONNECTIONS = MAX_CONNECTIONS - 10;
/** The longest start: recovery after a crash may replay gigabytes of write-ahead log. */
const READY_TIMEOUT_MS = 10 * 60_000;
const FAST_SHUTDOWN_TIMEOUT_MS = 60_000;
/** The time for the processes of a killed server to end. */
const LAST_PROCESSES_MS = 30_000;
const SMALL_SHARED_MEMORY_BYTES = 512_000_000;
const MIB = 1024 * 1024;
const DEFAULT_MEMORY_BYTES = 1024 * MIB;

/**
 * Creates the database cluster in `dataDir` if it is new, recovers it after a crash, and starts it on 127.0.0.1. Throws
 * an `OperatorError` of one line if that is impossible: no space, wrong permissions, a port in use, files of another
 * version, a directory in use.
 */
export async function startPostgres(options: EmbeddedPostgresOptions) {
  if (process.platform === 'win32')
    throw new OperatorError('The embedded PostgreSQL works on Linux and macOS. On Windows use WSL.');
  const temporary = options.temporary ?? false;
  const user = options.user ?? (await unprivilegedUser(options.dataDir));
  const paths = await prepareEmbeddedPaths(options.dataDir, user);
  const binaries = await findPostgresBinaries({ directory: options.programs, copyTo: paths.home, user });
  const password = await prepareCluster(paths, binaries, user, temporary);
  await removePreviousServer(paths, user);
  await prepareSockets(paths, user);

  const startedAt = performance.now();
  let hasSocket = true;
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort(options.reservedPort));
    const server = await launch(paths, binaries.postgres, await settings(port, hasSocket, options), {
      user,
      logLimits: options.logLimits,
    });
    const watchdog = new Watchdog(server.pid, temporary ? [paths.home, options.dataDir] : []);
    const failure = await readiness(paths, server);
    if (failure === undefined) {
      const host = (await isReachable(socketFile(paths, port))) ? paths.sockets : ADDRESS;
      const stop = async () => {
        await end(server);
        await watchdog.dismiss();
        if (!temporary) return;
        for (const directory of [paths.home, options.dataDir]) await rm(directory, { recursive: true, force: true });
      };
      const access = { host, port, user: SUPERUSER_NAME, password, maxConnections: WEB_SERVER_CONNECTIONS };
      const changed = await changePassword(paths, access).catch(async (error: Error) => {
        await stop();
        throw new OperatorError(`The database password cannot be changed: ${error.message}.`, { cause: error });
      });
      return {
        /**
         * The options of the store that the server decides. `host`: the directory of its socket, which costs both sides
         * a tenth less than TCP, or its address if sockets do not work.
         */
        options: { ...access, password: changed },
        /** It also listens on this port for programs that use TCP. */
        address: ADDRESS,
        pid: server.pid,
        logFile: paths.logFile,
        /** A note for the operator about the place of the files. */
        note: paths.note,
        /** Fulfilled when the server ends, by itself or stopped, with the reason in a few words. */
        ended: server.ended,
        /**
         * Stops fast: open transactions are rolled back, connections are closed, and everything is on disk afterwards.
         */
        stop,
      };
    }
    await end(server);
    await watchdog.dismiss();
    if (hasSocket && /Unix-domain socket/.test(failure)) {
      // Some file systems have no sockets, such as directories of the host that a container sees.
      hasSocket = false;
      continue;
    }
    if (/shared memory block .* is still in use/.test(failure) && performance.now() - startedAt < LAST_PROCESSES_MS) {
      await sleep(500);
      continue;
    }
    const portTaken = /could not bind|could not create any TCP|Address already in use/.test(failure);
    // Another program may have taken the free port between our check and PostgreSQL's start.
    if (portTaken && options.port === undefined && attempt < 5) continue;
    throw new OperatorError(
      portTaken
        ? `Port ${port} for the embedded PostgreSQL is in use. Choose another with --postgres-port, or leave it out.`
        : `The embedded PostgreSQL did not start: ${failure}. Its log is ${paths.logFile}.`,
      { exitCode: portTaken ? 2 : 1 },
    );
  }
}

interface Server {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<string>;
}

async function launch(
  paths: EmbeddedPaths,
  program: string,
  serverSettings: Settings,
  { user, logLimits }: { user: UnixUser | undefined; logLimits: LogLimits | undefined },
): Promise<Server> {
  const log = new BoundedServerLog(paths.logFile, logLimits);
  const args = Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(program, ['-D', paths.cluster, ...args], {
    ...spawnOptionsFor(user),
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      const byItself = signal === null ? `exit status ${code}` : `it was ended by ${signal}`;
      resolve((signal === 'SIGKILL' ? undefined : postgresEndReason(log.lastWords())) ?? byItself);
    });
  });
  void ended.then(() => log.close());
  child.unref();
  if (child.pid === undefined)
    throw new OperatorError(`The embedded PostgreSQL (${program}) did not start: ${await ended}.`, { exitCode: 1 });
  return { child, pid: child.pid, ended };
}

/** Returns the settings that follow from the server's memory. The rest is for connections and the page cache. */
export function memorySettings(bytes: number) {
  const part = (divisor: number, least: number, most: number) =>
    `${Math.min(Math.max(Math.floor(bytes / divisor / MIB), least), most)}MB`;
  return {
    shared_buffers: part(4, 48, 1024),
    // Of each connection that builds an index by hand, and of each autovacuum worker.
    maintenance_work_mem: part(16, 16, 256),
    max_wal_size: part(1 / 4, 1024, 4096),
  };
}

/** The settings for a machine that is shared with the indexer. All others are PostgreSQL's defaults. */
async function settings(
  port: number,
  hasSocket: boolean,
  { memoryBytes = DEFAULT_MEMORY_BYTES, settings: given }: EmbeddedPostgresOptions,
): Promise<Settings> {
  const sharedMemory = await statfs('/dev/shm').catch(() => undefined);
  const smallSharedMemory =
    sharedMemory !== undefined && sharedMemory.bsize * sharedMemory.blocks < SMALL_SHARED_MEMORY_BYTES;
  return {
    listen_addresses: ADDRESS,
    port,
    // Relative to the cluster; the whole path may be too long for a socket.
    unix_socket_directories: hasSocket ? '../socket' : '',
    max_connections: MAX_CONNECTIONS,
    ...memorySettings(memoryBytes),
    wal_compression: 'off',
    // No replicas: an index build and a COPY into a new table then need no write-ahead log.
    wal_level: 'minimal',
    max_wal_senders: 0,
    checkpoint_timeout: '15min',
    jit: 'off',
    log_checkpoints: 'off',
    log_line_prefix: LOG_LINE_PREFIX,
    // Lets a later start recognise the server as ours.
    [STARTED_BY_SETTING]: process.pid,
    // Containers have 64 MB of /dev/shm, too little for a parallel index build.
    ...(smallSharedMemory ? { dynamic_shared_memory_type: 'sysv' } : {}),
    ...given,
  };
}

/** Returns `undefined` when the server accepts connections, or the reason if it ended or is not ready in time. */
async function readiness(paths: EmbeddedPaths, { pid, ended }: Server): Promise<string | undefined> {
  let failure: string | undefined;
  void ended.then((reason) => {
    failure = reason;
  });
  for (const deadline = performance.now() + READY_TIMEOUT_MS; performance.now() < deadline; await sleep(15)) {
    if (failure !== undefined) return failure;
    const lines = (await readPidFile(paths).catch(() => undefined))?.lines;
    if (lines?.[0] === String(pid) && lines[7]?.trim() === 'ready') return undefined;
  }
  return `it was not ready after ${READY_TIMEOUT_MS / 60_000} minutes`;
}

async function end({ child, pid, ended }: Server): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return void (await ended);
  child.ref();
  process.kill(pid, 'SIGINT');
  // SIGQUIT ends it at once; the next start recovers from the write-ahead log.
  const impatience = setTimeout(() => process.kill(pid, 'SIGQUIT'), FAST_SHUTDOWN_TIMEOUT_MS);
  await ended;
  clearTimeout(impatience);
}
