import { loadedNetworkOption } from './network.ts';
import { readOptions } from './option.ts';
import { postgresOf, postgresOptions } from './postgres.ts';
import { SCANNER_PREFIX } from './scanner.ts';

export const verifyOptions = { network: loadedNetworkOption, ...postgresOptions };

/** It looks at what the scanner made, so it takes the scanner's environment. Throws an `OperatorError` as the scanner's does. */
export function readVerifyConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(verifyOptions, SCANNER_PREFIX, argv, env);
  return { network: values.network, postgres: postgresOf(values, values.network) };
}
