#!/usr/bin/env node
import { createLogger } from '../src/config/logger.ts';
import { runProgram } from '../src/config/run-program.ts';
import { SCANNER_PREFIX } from '../src/config/scanner.ts';
import { thisBuild } from '../src/config/this-build.ts';
import { readUpgradeConfig, scannerVariables, upgradeOptions } from '../src/config/upgrade.ts';
import { limitHeapGrowth } from '../src/scanner/scanner-memory.ts';
import { upgrade } from '../src/scanner/upgrade-into-second-database.ts';
import { STORAGE_VERSION } from '../src/store/schema/database-identity.ts';

await runProgram({
  name: 'upgrade',
  about: `Upgrades without an interruption: fills a second database with the tables of this release while the previous release
serves the first one, says when and how to switch, and keeps the second at the tip until it is stopped. After a restart it
continues. It takes the scanner's options and environment; --postgres-database is the database that is served.`,
  options: upgradeOptions,
  prefix: SCANNER_PREFIX,
  otherVariables: scannerVariables,
  async main(argv, stop) {
    const { log, ...config } = readUpgradeConfig(argv, process.env);
    limitHeapGrowth(config.maxMemory);
    const logger = createLogger('upgrade', log);
    logger.info({ ...thisBuild(), storageVersion: STORAGE_VERSION }, 'starting');
    const tell = (text: string) => void process.stdout.write(text);
    await upgrade({ ...config, logger, terminal: process.stdout.isTTY, tell }, stop);
  },
});
