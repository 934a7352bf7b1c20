#!/usr/bin/env node
import cluster from 'node:cluster';
import { startWebServer } from '../src/api/server.ts';
import { createLogger } from '../src/config/log.ts';
import { aborted, runProgram } from '../src/config/program.ts';
import { readWebServerConfig, WEB_SERVER_PREFIX, webServerOptions } from '../src/config/web-server.ts';
import { runWorkers } from '../src/processes/workers.ts';

await runProgram({
  name: 'web-server',
  about: `Answers the REST API from the database that the scanner keeps.

Usage: npm run web-server -- [options]`,
  options: webServerOptions,
  prefix: WEB_SERVER_PREFIX,
  async main(argv, stop) {
    const { logLevel, ...config } = readWebServerConfig(argv, process.env);
    const logger = createLogger('web-server', logLevel);
    if (config.workers > 1 && cluster.isPrimary) return runWorkers(config.workers, stop, logger);
    const server = await startWebServer({ ...config, logger });
    await aborted(stop);
    await server.stop();
  },
});
