#!/usr/bin/env node
import type { Worker } from 'node:cluster';
import { aggregateMetrics } from '../src/api/metrics/aggregate-metrics.ts';
import { PendingDistributor } from '../src/api/pending/pending-distributor.ts';
import { WorkerPendingTransactions } from '../src/api/pending/worker-pending.ts';
import { startWebServer } from '../src/api/server.ts';
import { createLogger } from '../src/config/logger.ts';
import { runProgram, untilAborted } from '../src/config/run-program.ts';
import {
  readWebServerConfig,
  WEB_SERVER_PREFIX,
  type WebServerConfig,
  webServerOptions,
} from '../src/config/web-server.ts';
import { createExplorer } from '../src/explorer/explorer.ts';
import { collectFromWorkers } from '../src/processes/collect-from-workers.ts';
import { runWorkers, STOP_TIMEOUT_MS, workerNumber } from '../src/processes/workers.ts';

/** A worker answers when it has what is pending, or when the primary takes too long to tell. */
const LONGEST_WAIT_MS = 3_000;

async function ofPrimary({ network }: Pick<WebServerConfig, 'network'>) {
  const pending = new WorkerPendingTransactions(network);
  await pending.begun(LONGEST_WAIT_MS);
  return { collectFromWorkers, pending };
}

/** Where a browser on this machine reaches the server. */
function originOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

await runProgram({
  name: 'web-server',
  about: `Serves the REST API from the database that the scanner fills.`,
  options: webServerOptions,
  prefix: WEB_SERVER_PREFIX,
  async main(argv, stop) {
    const { logLevel, hasExplorer, ...config } = readWebServerConfig(argv, process.env);
    const worker = workerNumber();
    const logger = createLogger('web-server', logLevel, worker);
    if (config.workers > 1 && worker === null) {
      const pending = new PendingDistributor({ ...config, logger });
      const stopTimeoutMs = STOP_TIMEOUT_MS + config.shutdownDelayMs;
      const onWorker = (each: Worker) => pending.add(each);
      return runWorkers(config.workers, stop, logger, aggregateMetrics, { stopTimeoutMs, onWorker }).finally(() =>
        pending.close(),
      );
    }
    const { host, port } = config.bindAddress;
    const pages = hasExplorer ? createExplorer({ origin: originOf(host, port) }) : undefined;
    const server = await startWebServer({
      ...config,
      logger,
      pages,
      ...(worker === null ? {} : await ofPrimary(config)),
    });
    await untilAborted(stop);
    await server.stop();
  },
});
