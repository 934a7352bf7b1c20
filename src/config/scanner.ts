import type { Network } from '../chain/networks/network.ts';
import type { NodeClientOptions } from '../node/client.ts';
import type { PostgresOptions } from '../store/postgres/connect.ts';
import { type LogLevel, logLevelOption } from './logger.ts';
import { loadedNetworkOption } from './network.ts';
import { nodeOf, nodeOptions } from './node.ts';
import { type BindAddress, bindAddress, flag, readOptions } from './option.ts';
import { postgresOf, postgresOptions } from './postgres.ts';

/** The environment names are mintlayer-core's, so that a unit file can stay as it is. */
export const SCANNER_PREFIX = 'ML_API_SCANNER_DAEMON_';

export const scannerOptions = {
  network: loadedNetworkOption,
  ...nodeOptions,
  ...postgresOptions,
  resync: flag('Drop the index in the database and build it again; carried out once, even if the option stays set'),
  'log-level': logLevelOption,
  'metrics-address': bindAddress(
    'Address that serves /metrics, /health and /ready; a web server then does not serve /metrics to its clients',
  ),
};

interface ScannerConfig {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  readonly resync: boolean;
  /** Undefined: nothing is served. */
  readonly metricsAddress: BindAddress | undefined;
  readonly logLevel: LogLevel;
}

/** The scanner's configuration. Throws an `OperatorError` with one line for each mistake. */
export function readScannerConfig(argv: readonly string[], env: NodeJS.ProcessEnv): ScannerConfig {
  const values = readOptions(scannerOptions, SCANNER_PREFIX, argv, env);
  return {
    network: values.network,
    node: nodeOf(values, values.network),
    postgres: postgresOf(values, values.network),
    resync: values.resync,
    metricsAddress: values['metrics-address'],
    logLevel: values['log-level'],
  };
}
