#!/usr/bin/env node
import { startWebServer } from '../src/api/start-web-server.ts';
import { createAccessLog, createLogger } from '../src/config/logger.ts';
import { runProgram, untilAborted } from '../src/config/run-program.ts';
import { thisBuild } from '../src/config/this-build.ts';
import { readWebServerConfig, WEB_SERVER_PREFIX, webServerOptions } from '../src/config/web-server.ts';
import { createExplorer } from '../src/explorer/explorer.ts';
import { hostPortText } from '../src/node/host-port.ts';
import { runWorkers, STOP_TIMEOUT_MS, workerNumber } from '../src/processes/cluster-workers.ts';
import { IpcSiblingWorkers } from '../src/processes/sibling-workers.ts';
import { STORAGE_VERSION } from '../src/store/schema/database-identity.ts';

/** Returns the URL of the server for a browser on this machine. */
function originOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${hostPortText({ host, port })}`;
}

await runProgram({
  name: 'web-server',
  about: `Serves the REST API from the database that the scanner fills.`,
  options: webServerOptions,
  prefix: WEB_SERVER_PREFIX,
  async main(argv, stop) {
    const { log, hasAccessLog, hasExplorer, ipfsGateway, ...config } = readWebServerConfig(argv, process.env);
    const worker = workerNumber();
    const logger = createLogger('web-server', log, worker);
    if (worker === null) logger.info({ ...thisBuild(), storageVersion: STORAGE_VERSION }, 'starting');
    if (config.workers > 1 && worker === null) {
      return runWorkers(config.workers, stop, logger, STOP_TIMEOUT_MS + config.shutdownDelayMs);
    }
    const { host, port } = config.bindAddress;
    const pages = hasExplorer ? createExplorer({ origin: originOf(host, port), ipfsGateway }) : undefined;
    const server = await startWebServer({
      ...config,
      logger,
      pages,
      ...(hasAccessLog && { accessLog: createAccessLog('web-server', log, worker) }),
      ...(worker === null ? {} : { siblings: new IpcSiblingWorkers(worker, config.workers) }),
    });
    await untilAborted(stop);
    await server.stop();
  },
});
