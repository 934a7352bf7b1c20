/** An embedded PostgreSQL: started as a child of this process, stopped with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rm, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { findBinaries } from './binaries.ts';
import { CLUSTER_USER, LOG_LINE_PREFIX, prepareCluster, serverEndReason } from './data-directory.ts';
import { type EmbeddedPaths, preparePaths } from './file-paths.ts';
import { freePort } from './free-port.ts';
import { Guard } from './guard.ts';
import { makeRoom, readPidFile, STARTED_BY } from './previous-server.ts';
import { BoundedServerLog, type LogLimits } from './server-log.ts';
import { isReachable, prepareSockets, socketFile } from './socket.ts';
import { asUser } from './spawn.ts';
import { changePassword } from './superuser-password.ts';
import { type UnixUser, unprivilegedUser } from './unprivileged-user.ts';

type Settings = Readonly<Record<string, string | number>>;

interface EmbeddedPostgresOptions {
  /** Everything lies in `<dataDir>/postgres`. */
  readonly dataDir: string;
  /** The user that runs it; default: the owner of the data directory. */
  readonly user?: UnixUser | undefined;
  /** A free port is chosen when absent. */
  readonly port?: number | undefined;
  /** The directory with `initdb` and `postgres`; those of the npm package when absent. */
  readonly programs?: string | undefined;
  /** Used by tests: nothing is synced to disk, and the whole `dataDir` is removed when the server stops. */
  readonly temporary?: boolean;
  /** Settings of PostgreSQL that replace ours. */
  readonly settings?: Settings;
  /** Limits at which the log is rotated. */
  readonly logLimits?: LogLimits;
}

export type EmbeddedPostgres = Awaited<ReturnType<typeof startPostgres>>;

const ADDRESS = '127.0.0.1';
const MAX_CONNECTIONS = 60;
/** How many of these the web server may use; the rest is for the scanner and for administrators. */
export const WEB_SERVER_CONNECTIONS = MAX_CONNECTIONS - 10;
/** Recovery after a crash may replay gigabytes of write-ahead log. */
const READY_TIMEOUT_MS = 10 * 60_000;
const FAST_SHUTDOWN_TIMEOUT_MS = 60_000;
/** Processes of a server that was killed may live a little longer than it. */
const LAST_PROCESSES_MS = 30_000;
const SMALL_SHARED_MEMORY_BYTES = 512_000_000;
/**
 * Makes the database cluster in `dataDir` when it is new, recovers it when it was left by a crash, and starts it on
 * 127.0.0.1. Throws an `OperatorError` of one line when that is impossible: no space, wrong permissions, a port in use,
 * files of another version, a directory that is in use.
 */
export async function startPostgres(options: EmbeddedPostgresOptions) {
  if (process.platform === 'win32')
    throw new OperatorError('The embedded PostgreSQL works on Linux and macOS. On Windows use WSL.');
  const temporary = options.temporary ?? false;
  const user = options.user ?? (await unprivilegedUser(options.dataDir));
  const paths = await preparePaths(options.dataDir, user);
  const binaries = await findBinaries({ directory: options.programs, copyTo: paths.home, user });
  const password = await prepareCluster(paths, binaries, user, temporary);
  await makeRoom(paths, user);
  await prepareSockets(paths, user);

  const startedAt = performance.now();
  let hasSocket = true;
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const server = await launch(paths, binaries.postgres, await settings(port, hasSocket, options.settings), {
      user,
      logLimits: options.logLimits,
    });
    const guard = new Guard(server.pid, temporary ? [paths.home, options.dataDir] : []);
    const failure = await readiness(paths, server);
    if (failure === undefined) {
      const host = (await isReachable(socketFile(paths, port))) ? paths.sockets : ADDRESS;
      const stop = async () => {
        await end(server);
        await guard.dismiss();
        if (!temporary) return;
        for (const directory of [paths.home, options.dataDir]) await rm(directory, { recursive: true, force: true });
      };
      const access = { host, port, user: CLUSTER_USER, password, maxConnections: WEB_SERVER_CONNECTIONS };
      const changed = await changePassword(paths, access).catch(async (error: Error) => {
        await stop();
        throw new OperatorError(`The database password cannot be changed: ${error.message}.`, { cause: error });
      });
      return {
        /**
         * How to connect: the fields of the store's options that the server decides. `host` is the directory of its socket,
         * which costs both sides a tenth less than TCP does, or its address where sockets do not work.
         */
        options: { ...access, password: changed },
        /** It also listens on this port for programs that use TCP. */
        address: ADDRESS,
        pid: server.pid,
        logFile: paths.logFile,
        /** Something that the operator should know about where the files are. */
        note: paths.note,
        /** Fulfilled when the server ends, on its own or stopped: the reason in a few words. */
        ended: server.ended,
        /** Fast shutdown: open transactions are rolled back, connections closed, everything is on disk afterwards. */
        stop,
      };
    }
    await end(server);
    await guard.dismiss();
    if (hasSocket && /Unix-domain socket/.test(failure)) {
      // Not every file system has sockets; directories of the host that a container sees may have none.
      hasSocket = false;
      continue;
    }
    if (/shared memory block .* is still in use/.test(failure) && performance.now() - startedAt < LAST_PROCESSES_MS) {
      await sleep(500);
      continue;
    }
    const portTaken = /could not bind|could not create any TCP|Address already in use/.test(failure);
    // Somebody may have taken the free port between our look and PostgreSQL's.
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
    ...asUser(user),
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      const byItself = signal === null ? `exit status ${code}` : `it was ended by ${signal}`;
      resolve((signal === 'SIGKILL' ? undefined : serverEndReason(log.lastWords())) ?? byItself);
    });
  });
  void ended.then(() => log.close());
  child.unref();
  if (child.pid === undefined)
    throw new OperatorError(`The embedded PostgreSQL (${program}) did not start: ${await ended}.`, { exitCode: 1 });
  return { child, pid: child.pid, ended };
}

/** Settings for a small machine that is shared with the indexer; what is not said here is PostgreSQL's default. */
async function settings(port: number, hasSocket: boolean, given: Settings = {}): Promise<Settings> {
  const sharedMemory = await statfs('/dev/shm').catch(() => undefined);
  const smallSharedMemory =
    sharedMemory !== undefined && sharedMemory.bsize * sharedMemory.blocks < SMALL_SHARED_MEMORY_BYTES;
  return {
    listen_addresses: ADDRESS,
    port,
    // Relative to the cluster; the whole path may be too long for a socket.
    unix_socket_directories: hasSocket ? '../socket' : '',
    max_connections: MAX_CONNECTIONS,
    shared_buffers: '256MB',
    maintenance_work_mem: '256MB',
    max_wal_size: '4GB',
    wal_compression: 'off',
    // No replicas: an index build and a COPY into a new table then need no write-ahead log.
    wal_level: 'minimal',
    max_wal_senders: 0,
    checkpoint_timeout: '15min',
    jit: 'off',
    log_checkpoints: 'off',
    log_line_prefix: LOG_LINE_PREFIX,
    // Lets a later start recognise the server as ours.
    [STARTED_BY]: process.pid,
    // Containers have 64 MB of /dev/shm, too little for a parallel index build.
    ...(smallSharedMemory ? { dynamic_shared_memory_type: 'sysv' } : {}),
    ...given,
  };
}

/** `undefined` when the server takes connections, the reason when it ended instead or is not ready in time. */
async function readiness(paths: EmbeddedPaths, { pid, ended }: Server): Promise<string | undefined> {
  let failure: string | undefined;
  void ended.then((reason) => {
    failure = reason;
  });
  for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline; await sleep(15)) {
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
