import type { Network } from '../chain/networks/network.ts';
import type { NodeClientOptions } from '../node/client.ts';
import type { PostgresOptions } from '../store/postgres/connect.ts';
import { type LogLevel, logLevelOption } from './logger.ts';
import { loadedNetworkOption } from './network.ts';
import { nodeOf, nodeOptions } from './node.ts';
import { flag, readOptions, text } from './option.ts';
import { postgresOf, postgresOptions } from './postgres.ts';
import { SCANNER_PREFIX } from './scanner.ts';

/** It does what the scanner does, for a second database, so it takes the scanner's environment. */
export const UPGRADE_PREFIX = SCANNER_PREFIX;

/** What only this program has. */
export const upgradeOnlyOptions = {
  'new-database': text(
    'NAME',
    'Second database to fill, created if missing [default: the name of the served database and the storage version]',
  ),
  rebuild: flag('Fill a second database even if the served one already has the tables of this release'),
  'until-ready': flag('Exit when the second database is complete instead of keeping it at the tip'),
};

export const upgradeOptions = {
  network: loadedNetworkOption,
  ...nodeOptions,
  ...postgresOptions,
  ...upgradeOnlyOptions,
  'log-level': logLevelOption,
};

interface UpgradeConfig {
  readonly network: Network;
  readonly node: NodeClientOptions;
  /** The database that is served. */
  readonly postgres: PostgresOptions;
  /** The database to fill, where it was named. */
  readonly newDatabase: string | undefined;
  readonly rebuild: boolean;
  readonly untilReady: boolean;
  readonly logLevel: LogLevel;
}

/** The configuration of `upgrade`. Throws an `OperatorError` with one line for each mistake. */
export function readUpgradeConfig(argv: readonly string[], env: NodeJS.ProcessEnv): UpgradeConfig {
  const values = readOptions(upgradeOptions, UPGRADE_PREFIX, argv, env);
  return {
    network: values.network,
    node: nodeOf(values, values.network),
    postgres: postgresOf(values, values.network),
    newDatabase: values['new-database'],
    rebuild: values.rebuild,
    untilReady: values['until-ready'],
    logLevel: values['log-level'],
  };
}
