/** Several processes of the same program that serve on one port. */
import cluster, { type Worker } from 'node:cluster';
import { accessSync, constants } from 'node:fs';
import { EXIT_CONFIGURATION, OperatorError } from '../errors/operator-error.ts';
import { Restarts } from './restarts.ts';
import { Switchboard } from './sibling-workers.ts';

interface WorkerLogger {
  warn(fields: object, message: string): void;
}

export const STOP_TIMEOUT_MS = 15_000;
/** Environment variable with a worker's number. */
const NUMBER = 'CHAIN_INDEXER_WORKER_NUMBER';

/** The number of this worker among those of the program, from 1; null when this process is none. */
export function workerNumber(): number | null {
  return cluster.isWorker ? Number(process.env[NUMBER]) : null;
}

/**
 * Runs `count` workers, this program again in each, until `stop`; a worker that dies is replaced after a pause that
 * grows with each failure, by one with the same number. They can ask each other (`WorkerSiblings`). When they are
 * stopped, each has `stopTimeoutMs` to end. Throws an `OperatorError` when a worker cannot work as configured.
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
  const restarts = new Restarts();
  const listening = Promise.withResolvers<void>();
  const switchboard = new Switchboard(count);

  reachOwnNode();
  const fork = (number: number): void => {
    const startedAt = Date.now();
    const worker = cluster.fork({ [NUMBER]: String(number) });
    workers.add(worker);
    switchboard.add(worker, number);
    worker.once('listening', () => listening.resolve());
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (stop.aborted) return;
      if (code === EXIT_CONFIGURATION) {
        refused.reject(new OperatorError('A worker process cannot work as it was told to; its line above says why.'));
        return;
      }
      const pauseMs = restarts.pauseAfter(Date.now() - startedAt);
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
    // One first: what is wrong with the settings is then said once, not by each.
    fork(1);
    await Promise.race([listening.promise, stopped, refused.promise]);
    for (let number = 2; number <= count && !stop.aborted; number++) fork(number);
    await Promise.race([stopped, refused.promise]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await Promise.all([...workers].map((worker) => endWorker(worker, stopTimeoutMs)));
  }
}

/** If our user may not reach the Node executable by its path, it is started through /proc. */
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
