/** Serves metrics, readiness and health of a scanner from a separate thread: see `monitor-worker.ts`. */
import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { OperatorError } from '../../errors/operator-error.ts';
import { type HostPort, hostPortText } from '../../node/host-port.ts';
import { jitteredBackoffPause } from '../../node/retry.ts';
import { startWorkerThread } from '../start-worker-thread.ts';
import type { MonitorMessage, MonitorThreadData, MonitorUpdate } from './monitor-worker.ts';
import type { ScannerStatus } from './status.ts';

export interface Monitor {
  /** The address on which it listens. */
  readonly address: HostPort;
  close(): Promise<void>;
}

/** The interval of the main thread's reports while nothing changes. They show that it is not blocked. */
const SIGN_MS = 1_000;

/**
 * Serves `/metrics`, `/health` and `/ready` until closed; port 0 takes a free one. A thread that dies is replaced.
 * Throws an OperatorError if the address cannot be used.
 */
export async function startMonitor(address: HostPort, status: ScannerStatus, logger: Logger): Promise<Monitor> {
  const running = new RunningMonitor(address, status, logger);
  await running.start();
  return running;
}

class RunningMonitor implements Monitor {
  address: HostPort;
  readonly #status: ScannerStatus;
  readonly #logger: Logger;
  #thread: Worker | null = null;
  #processText: (() => Promise<string>) | null = null;
  #signs: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(address: HostPort, status: ScannerStatus, logger: Logger) {
    this.address = address;
    this.#status = status;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    const refusal = await this.#listen();
    const address = hostPortText(this.address);
    if (refusal !== null) {
      await this.close();
      throw new OperatorError(
        `cannot serve metrics on ${address}: ${refusal}. Choose another address with --metrics-address.`,
      );
    }
    this.#processText = await processMetrics();
    this.#status.onChange = (report) => this.#tell({ report });
    this.#signs = setInterval(() => this.#tell({ report: this.#status.report }), SIGN_MS);
    this.#signs.unref();
    this.#logger.info(`Metrics on http://${address}/metrics`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#status.onChange = () => {};
    clearInterval(this.#signs);
    clearTimeout(this.#restart);
    await this.#thread?.terminate();
  }

  /** Starts the thread. Returns null when it listens, otherwise the reason why it does not. */
  #listen(): Promise<string | null> {
    const data: MonitorThreadData = { address: this.address, report: this.#status.report };
    const thread = startWorkerThread('./monitor-worker.ts', import.meta.url, data);
    this.#thread = thread;
    return new Promise((resolve) => {
      let isListening = false;
      let reason = 'its thread ended';
      thread.on('message', (message: MonitorMessage) => {
        if (message === 'process figures') void this.#tellProcess();
        else if ('refusal' in message) resolve(message.refusal);
        else {
          isListening = true;
          thread.unref();
          this.address = { ...this.address, port: message.port };
          resolve(null);
        }
      });
      thread.on('error', (error: unknown) => {
        reason = String(error);
      });
      thread.on('exit', () => {
        resolve(reason);
        if (isListening) this.#replace(reason);
      });
    });
  }

  /** Replaces the thread after a failure. The scanner continues in any case. */
  #replace(reason: string): void {
    if (this.#isClosed) return;
    const pauseMs = Math.round(jitteredBackoffPause(++this.#failures));
    this.#logger.error({ reason, pauseMs }, 'metrics are not served any more, trying again');
    this.#restart = setTimeout(async () => {
      const refusal = await this.#listen();
      if (refusal === null) return;
      await this.#thread?.terminate();
      this.#replace(refusal);
    }, pauseMs);
    this.#restart.unref();
  }

  async #tellProcess(): Promise<void> {
    const processText = await this.#processText?.().catch(() => '');
    if (processText !== undefined) this.#tell({ processText });
  }

  #tell(order: MonitorUpdate): void {
    this.#thread?.postMessage(order);
  }
}

/** Returns the metrics of the process, for the main thread. The library is loaded only if it is needed. */
async function processMetrics(): Promise<() => Promise<string>> {
  const { processRegistry } = await import('../../resources/process-registry.ts');
  return () => processRegistry().metrics();
}
