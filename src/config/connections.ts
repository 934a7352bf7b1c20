/** The connections of every program of an index: to the network's node, and to PostgreSQL. */
import type { Network } from '../chain/networks/network.ts';
import { nodeOf, nodeOptions } from './node.ts';
import { bindAddress, type OptionValues } from './option.ts';
import { postgresOf, postgresOptions } from './postgres.ts';

export const connectionOptions = { ...nodeOptions, ...postgresOptions };

/** Returns the options of both. Throws an `OperatorError` if the node's credentials do not fit together. */
export function connectionsOf(network: Network, values: OptionValues<typeof connectionOptions>) {
  return { network, node: nodeOf(values, network), postgres: postgresOf(values, network) };
}

export const metricsAddressOption = bindAddress(
  'Address that serves /metrics, /health and /ready; a web server then does not serve /metrics to its clients',
);
