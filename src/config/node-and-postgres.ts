/** The options that all programs of an index share: how to reach the node and PostgreSQL. */
import type { Network } from '../chain/networks/network.ts';
import { nodeClientOptionsOf, nodeOptions } from './node.ts';
import type { OptionValues } from './option.ts';
import { postgresOptions, postgresOptionsOf } from './postgres.ts';

export const nodeAndPostgresOptionTable = { ...nodeOptions, ...postgresOptions };

/** Returns the options of both. Throws an `OperatorError` if the node's credentials do not fit together, or the environment would change the connection to PostgreSQL. */
export function nodeAndPostgresOptionsOf(
  network: Network,
  values: OptionValues<typeof nodeAndPostgresOptionTable>,
  env: NodeJS.ProcessEnv,
) {
  return { network, node: nodeClientOptionsOf(values, network), postgres: postgresOptionsOf(values, network, env) };
}
