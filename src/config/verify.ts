/** The options of `verify`. */
import { networkOption } from './network.ts';
import { nodeAndPostgresOptionsOf, nodeAndPostgresOptionTable } from './node-and-postgres.ts';
import { flagOption, readOptions } from './option.ts';
import { SCANNER_PREFIX } from './scanner.ts';

export const verifyOptions = {
  network: networkOption,
  quick: flagOption('Check only the tip, counts, indexes and the newest blocks, against the node; takes seconds'),
  ...nodeAndPostgresOptionTable,
};

/**
 * Returns the configuration of `verify`. The program reads the scanner's database, so it uses the scanner's environment
 * names. Throws an `OperatorError` like the scanner's.
 */
export function readVerifyConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(verifyOptions, SCANNER_PREFIX, argv, env);
  return { ...nodeAndPostgresOptionsOf(values.network, values, env), quick: values.quick };
}
