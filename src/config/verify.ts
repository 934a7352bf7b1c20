import { loadedNetworkOption } from './network.ts';
import { readOptions } from './option.ts';
import { postgresOptions, postgresOptionsOf } from './postgres.ts';
import { SCANNER_PREFIX } from './scanner.ts';

export const verifyOptions = { network: loadedNetworkOption, ...postgresOptions };

/**
 * Returns the configuration of `verify`. The program reads the scanner's database, so it uses the scanner's environment
 * names. Throws an `OperatorError` like the scanner's.
 */
export function readVerifyConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(verifyOptions, SCANNER_PREFIX, argv, env);
  return { network: values.network, postgres: postgresOptionsOf(values, values.network) };
}
