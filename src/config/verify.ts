import type { Network } from '../chain/networks/network.ts';
import type { PostgresOptions } from '../store/postgres/connect.ts';
import { loadedNetworkOption } from './network.ts';
import { readOptions } from './option.ts';
import { postgresOf, postgresOptions } from './postgres.ts';
import { SCANNER_PREFIX } from './scanner.ts';

/** It looks at what the scanner made, so it takes the scanner's environment. */
export const VERIFY_PREFIX = SCANNER_PREFIX;

export const verifyOptions = { network: loadedNetworkOption, ...postgresOptions };

interface VerifyConfig {
  readonly network: Network;
  readonly postgres: PostgresOptions;
}

/** Throws an `OperatorError` with one line for each mistake. */
export function readVerifyConfig(argv: readonly string[], env: NodeJS.ProcessEnv): VerifyConfig {
  const values = readOptions(verifyOptions, VERIFY_PREFIX, argv, env);
  return { network: values.network, postgres: postgresOf(values, values.network) };
}
