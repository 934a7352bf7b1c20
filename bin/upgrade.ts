#!/usr/bin/env node
import { createLogger } from '../src/config/logger.ts';
import { runProgram } from '../src/config/run-program.ts';
import { readUpgradeConfig, UPGRADE_PREFIX, upgradeOptions } from '../src/config/upgrade.ts';
import { upgrade } from '../src/scanner/upgrade.ts';

await runProgram({
  name: 'upgrade',
  about: `Upgrades without an interruption: fills a second database with the tables of this release while the one before is
served by the release before, says when and how to switch, and keeps the second at the tip until it is stopped. Stopped
and started again, it goes on. It takes the scanner's options and environment; --postgres-database is the one that is served.`,
  options: upgradeOptions,
  prefix: UPGRADE_PREFIX,
  async main(argv, stop) {
    const { logLevel, ...config } = readUpgradeConfig(argv, process.env);
    const logger = createLogger('upgrade', logLevel);
    const tell = (text: string) => void process.stdout.write(text);
    await upgrade({ ...config, logger, terminal: process.stdout.isTTY, tell }, stop);
  },
});
