#!/usr/bin/env node
import { combineFigures } from '../src/api/all-workers.ts';
import { startWebServer } from '../src/api/server.ts';
import { createLogger } from '../src/config/log.ts';
import { aborted, runProgram } from '../src/config/program.ts';
import { readWebServerConfig, WEB_SERVER_PREFIX, webServerOptions } from '../src/config/web-server.ts';
import { gatherFigures } from '../src/processes/gathering.ts';
import { runWorkers, STOP_TIMEOUT_MS, workerNumber } from '../src/processes/workers.ts';

await runProgram({
  name: 'web-server',
  about: `Answers the REST API from the database that the scanner keeps.`,
  options: webServerOptions,
  prefix: WEB_SERVER_PREFIX,
  async main(argv, stop) {
    const { logLevel, ...config } = readWebServerConfig(argv, process.env);
    const worker = workerNumber();
    const logger = createLogger('web-server', logLevel, worker);
    if (config.workers > 1 && worker === null) {
      const stopTimeoutMs = STOP_TIMEOUT_MS + config.shutdownDelayMs;
      return runWorkers(config.workers, stop, logger, combineFigures, stopTimeoutMs);
    }
    const server = await startWebServer({ ...config, logger, ...(worker === null ? {} : { gather: gatherFigures }) });
    await aborted(stop);
    await server.stop();
  },
});
