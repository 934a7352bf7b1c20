/** Several processes of the same program that serve on one port. */
import cluster, { type Worker } from 'node:cluster';
import { EXIT_CONFIGURATION, OperatorError } from '../config/operator-error.ts';
import { Restarts } from './restarts.ts';

interface WorkerLogger {
  warn(fields: object, message: string): void;
}

const STOP_TIMEOUT_MS = 15_000;

/**
 * Runs `count` workers, this program again in each, until `stop`; a worker that dies is replaced after a pause that grows
 * with each failure. Throws an `OperatorError` when a worker cannot work as it was told to.
 */
export async function runWorkers(count: number, stop: AbortSignal, logger: WorkerLogger): Promise<void> {
  const workers = new Set<Worker>();
  const refused = Promise.withResolvers<never>();
  const timers = new Set<NodeJS.Timeout>();
  const restarts = new Restarts();

  const fork = (): Worker => {
    const startedAt = Date.now();
    const worker = cluster.fork();
    workers.add(worker);
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (stop.aborted) return;
      if (code === EXIT_CONFIGURATION) {
        refused.reject(new OperatorError('A worker process cannot work as it was told to; its line above says why.'));
        return;
      }
      const pauseMs = restarts.pauseAfter(Date.now() - startedAt);
      logger.warn({ worker: worker.process.pid, code, signal, pauseMs }, 'a worker process ended, starting another');
      const timer = setTimeout(() => {
        timers.delete(timer);
        fork();
      }, pauseMs);
      timers.add(timer);
    });
    return worker;
  };

  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  try {
    // One first: what is wrong with the settings is then said once, not by each.
    const first = fork();
    const listening = new Promise<void>((resolve) => first.once('listening', () => resolve()));
    await Promise.race([listening, stopped, refused.promise]);
    while (!stop.aborted && workers.size < count) fork();
    await Promise.race([stopped, refused.promise]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await Promise.all([...workers].map(endWorker));
  }
}

function endWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const kill = setTimeout(() => worker.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    worker.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    worker.process.kill('SIGTERM');
  });
}
