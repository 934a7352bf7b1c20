/** Serves metrics, readiness and health of a scanner from a separate thread: see `monitor-worker.ts`. */
import { once } from 'node:events';
import type { Logger } from 'pino';
import { OperatorError } from '../../errors/operator-error.ts';
import { type HostPort, hostPortText } from '../../node/host-port.ts';
import { startWorkerThread } from '../start-worker-thread.ts';
import type { MonitorStartResult, MonitorThreadData, MonitorUpdate } from './monitor-worker.ts';
import type { ScannerStatus } from './status.ts';

export interface MonitorServer {
  /** The address on which it listens. */
  readonly address: HostPort;
  close(): Promise<void>;
}

/** The interval of the main thread's reports while nothing changes. They show that it is not blocked. */
const SIGN_MS = 1_000;

/**
 * Serves `/metrics`, `/health` and `/ready` until closed; port 0 takes a free one. A thread that fails ends the process,
 * which its supervisor starts again. Throws an OperatorError if the address cannot be used.
 */
export async function startMonitor(address: HostPort, status: ScannerStatus, logger: Logger): Promise<MonitorServer> {
  // The library is loaded only if it is needed.
  const { processMetricsRegistry } = await import('../../monitoring/process-registry.ts');
  const data: MonitorThreadData = { address, report: status.report };
  const thread = startWorkerThread('./monitor-worker.ts', import.meta.url, data);
  const tell = (update: MonitorUpdate) => thread.postMessage(update);
  const [begin] = (await once(thread, 'message')) as [MonitorStartResult];
  if ('refusal' in begin) {
    await thread.terminate();
    throw new OperatorError(
      `cannot serve metrics on ${hostPortText(address)}: ${begin.refusal}. Choose another address with --metrics-address.`,
    );
  }
  thread.unref();
  // Each later message asks for the metrics of the process.
  thread.on('message', async () => tell({ processText: await processMetricsRegistry().metrics() }));
  status.onChange = (report) => tell({ report });
  const signs = setInterval(() => tell({ report: status.report }), SIGN_MS).unref();
  const listening = { ...address, port: begin.port };
  logger.info(`Metrics on http://${hostPortText(listening)}/metrics`);
  return {
    address: listening,
    async close() {
      status.onChange = () => {};
      clearInterval(signs);
      await thread.terminate();
    },
  };
}
