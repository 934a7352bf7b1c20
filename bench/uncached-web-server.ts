#!/usr/bin/env node
/** The web server without its response cache and without sharing responses: measures reading, not the memory of answers. */
import { startWebServer } from '../src/api/start-web-server.ts';
import { createLogger } from '../src/config/logger.ts';
import { runProgram, untilAborted } from '../src/config/run-program.ts';
import { readWebServerConfig, WEB_SERVER_PREFIX, webServerOptions } from '../src/config/web-server.ts';
import { createExplorer } from '../src/explorer/explorer.ts';
import { runWorkers, workerNumber } from '../src/processes/cluster-workers.ts';
import { IpcSiblingWorkers } from '../src/processes/sibling-workers.ts';

await runProgram({
  name: 'uncached-web-server',
  about: 'The web server of the bench that makes every answer anew.',
  options: webServerOptions,
  prefix: WEB_SERVER_PREFIX,
  async main(argv, stop) {
    const { log, hasExplorer: _, ...config } = readWebServerConfig(argv, process.env);
    const worker = workerNumber();
    const logger = createLogger('web-server', log, worker);
    if (config.workers > 1 && worker === null) return runWorkers(config.workers, stop, logger);
    const workerOptions = worker === null ? {} : { siblings: new IpcSiblingWorkers(worker, config.workers) };
    const { host, port } = config.bindAddress;
    const pages = createExplorer({ origin: `http://${host}:${port}` });
    const server = await startWebServer({ ...config, logger, pages, sharesResponses: false, ...workerOptions });
    await untilAborted(stop);
    await server.stop();
  },
});
