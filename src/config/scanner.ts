/** The options of the scanner. */
import { logOptions } from './logger.ts';
import { metricsAddressOption } from './metrics-address.ts';
import { networkOption } from './network.ts';
import { nodeAndPostgresOptionsOf, nodeAndPostgresOptionTable } from './node-and-postgres.ts';
import { flagOption, readOptions } from './option.ts';
import { defaultMemory, maxMemoryOption } from './process-limits.ts';

/** The environment names are mintlayer-core's, so that unit files can stay the same. */
export const SCANNER_PREFIX = 'ML_API_SCANNER_DAEMON_';

export const scannerOptions = {
  network: networkOption,
  ...nodeAndPostgresOptionTable,
  resync: flagOption(
    'Drop the index of this network in the database and build it again; carried out once, even if the option stays set',
  ),
  'max-memory': maxMemoryOption,
  ...logOptions,
  'metrics-address': metricsAddressOption,
};

/** Returns the scanner's configuration. Throws an `OperatorError` with one line for each mistake. */
export function readScannerConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(scannerOptions, SCANNER_PREFIX, argv, env);
  return {
    ...nodeAndPostgresOptionsOf(values.network, values, env),
    resync: values.resync,
    /** In bytes. */
    maxMemory: values['max-memory'] ?? defaultMemory(),
    /** Undefined: there is no HTTP server. */
    metricsAddress: values['metrics-address'],
    log: { 'log-level': values['log-level'], 'log-format': values['log-format'] },
  };
}
