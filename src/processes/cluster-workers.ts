/** Several processes of the same program that share a port. */
import cluster, { type Worker } from 'node:cluster';
import { accessSync, constants } from 'node:fs';
import { EXIT_CONFIGURATION, OperatorError } from '../errors/operator-error.ts';
import { RestartPolicy } from './restart-policy.ts';
import { SiblingMessageForwarder } from './sibling-workers.ts';

interface WorkerLogger {
  warn(fields: object, message: string): void;
}

export const STOP_TIMEOUT_MS = 15_000;
/** Environment variable with a worker's number. */
const NUMBER = 'CHAIN_INDEXER_WORKER_NUMBER';

/** Returns the number of this worker among those of the program, from 1; null if this process is no worker. */
export function workerNumber(): number | null {
  return cluster.isWorker ? Number(process.env[NUMBER]) : null;
}

/**
 * Runs `count` workers, each with this program, until `stop`. A worker that dies is replaced by one with the same
 * number, after a pause that grows with each failure. Workers can ask each other (`IpcSiblingWorkers`). At a stop, each
 * has `stopTimeoutMs` to end. Throws an `OperatorError` if a worker cannot work as configured.
 */
export async function runWorkers(
  count: number,
  stop: AbortSignal,
  logger: WorkerLogger,
  stopTimeoutMs = STOP_TIMEOUT_MS,
): Promise<void> {
  const workers = new Set<Worker>();
  const refused = Promise.withResolvers<never>();
  const timers = new Set<NodeJS.Timeout>();
  const restarts = new RestartPolicy();
  const listening = Promise.withResolvers<void>();
  const switchboard = new SiblingMessageForwarder(count);

  reachOwnNode();
  const fork = (number: number): void => {
    const startedAt = performance.now();
    const worker = cluster.fork({ [NUMBER]: String(number) });
    workers.add(worker);
    closeUntakenConnection(worker);
    switchboard.add(worker, number);
    worker.once('listening', () => listening.resolve());
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (stop.aborted) return;
      if (code === EXIT_CONFIGURATION) {
        refused.reject(new OperatorError('A worker process could not start; its line above says why.'));
        return;
      }
      const pauseMs = restarts.pauseAfter(performance.now() - startedAt);
      const { pid } = worker.process;
      logger.warn({ worker: number, pid, code, signal, pauseMs }, 'a worker process ended, starting another');
      const timer = setTimeout(() => {
        timers.delete(timer);
        fork(number);
      }, pauseMs);
      timers.add(timer);
    });
  };

  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  try {
    // The first worker starts alone, so that a mistake in the settings is reported once, not by each worker.
    fork(1);
    await Promise.race([listening.promise, stopped, refused.promise]);
    for (let number = 2; number <= count && !stop.aborted; number++) fork(number);
    await Promise.race([stopped, refused.promise]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await Promise.all([...workers].map((worker) => endWorker(worker, stopTimeoutMs)));
  }
}

/**
 * Closes the connection that was being sent to a worker when it died. Node waits for the worker to confirm it, so the
 * connection would stay open, and nobody would respond to the client. Node sends one connection at a time.
 */
function closeUntakenConnection({ process: child }: Worker): void {
  const send = child.send;
  let sent: { close?(): void } | undefined;
  child.send = (...args: unknown[]) => {
    sent = (args[1] as typeof sent) ?? sent;
    return Reflect.apply(send, child, args);
  };
  child.once('exit', () => sent?.close?.());
}

/** Starts Node through /proc if our user may not reach its executable by path. */
function reachOwnNode(): void {
  try {
    accessSync(process.execPath, constants.X_OK);
  } catch {
    process.execPath = '/proc/self/exe';
  }
}

function endWorker(worker: Worker, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const kill = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs);
    worker.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    worker.process.kill('SIGTERM');
  });
}
