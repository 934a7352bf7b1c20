#!/usr/bin/env node
import { createLogger } from '../src/config/logger.ts';
import { runProgram, untilAborted } from '../src/config/run-program.ts';
import { readScannerConfig, SCANNER_PREFIX, scannerOptions } from '../src/config/scanner.ts';
import { thisBuild } from '../src/config/this-build.ts';
import { scannerVariables } from '../src/config/upgrade.ts';
import { startMonitor } from '../src/scanner/monitor/monitor-thread.ts';
import { ScannerStatus } from '../src/scanner/monitor/status.ts';
import { startScanner } from '../src/scanner/scanner.ts';
import { limitHeapGrowth } from '../src/scanner/scanner-memory.ts';
import { STORAGE_VERSION } from '../src/store/schema/database-identity.ts';

await runProgram({
  name: 'scanner',
  about: `Follows a Mintlayer node and writes the index into PostgreSQL, for web servers to read.`,
  options: scannerOptions,
  prefix: SCANNER_PREFIX,
  otherVariables: scannerVariables,
  async main(argv, stop) {
    const config = readScannerConfig(argv, process.env);
    const { network, node, postgres, resync, maxMemory, metricsAddress, log } = config;
    limitHeapGrowth(maxMemory);
    const logger = createLogger('scanner', log);
    logger.info({ ...thisBuild(), storageVersion: STORAGE_VERSION }, 'starting');
    const status = new ScannerStatus();
    const monitor = metricsAddress && (await startMonitor(metricsAddress, status, logger));
    try {
      const scanner = startScanner({
        network,
        node,
        postgres,
        resync,
        maxMemory,
        logger,
        status,
        terminal: process.stdout.isTTY,
      });
      await Promise.race([scanner.done, untilAborted(stop)]);
      await scanner.stop();
    } finally {
      await monitor?.close();
    }
  },
});
