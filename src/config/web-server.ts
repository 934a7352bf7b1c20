import type { Network } from '../chain/networks/network.ts';
import type { NodeClientOptions } from '../node/client.ts';
import type { PostgresOptions } from '../store/connect.ts';
import { type LogLevel, logLevelOption } from './log.ts';
import { loadedNetworkOption } from './network.ts';
import { nodeOf, nodeOptions } from './node.ts';
import { type BindAddress, bindAddress, choice, flag, readOptions, wholeNumber } from './option.ts';
import { checkConnections, postgresOf, postgresOptions } from './postgres.ts';

/** The environment names are mintlayer-core's, so that a unit file can stay as it is. */
export const WEB_SERVER_PREFIX = 'ML_API_WEB_SRV_';

export const CONTRACT_NAMES = ['described', 'mintlayer-core'] as const;
export type ContractName = (typeof CONTRACT_NAMES)[number];

/** What `up` hands on to the web server unchanged. */
export const servingOptions = {
  'bind-address': bindAddress('Where to listen', '127.0.0.1:3000'),
  contract: choice(
    'Shape of the answers: that of the API description, or exactly that of mintlayer-core',
    CONTRACT_NAMES,
    'described',
  ),
  'enable-post-routes': flag('Allow clients to submit transactions to the node'),
  workers: wholeNumber('Processes that serve on the same port', { least: 1, most: 256, fallback: 1 }),
};

export const webServerOptions = {
  network: loadedNetworkOption,
  ...servingOptions,
  ...nodeOptions,
  ...postgresOptions,
  'log-level': logLevelOption,
};

export interface WebServerConfig {
  readonly network: Network;
  readonly bindAddress: BindAddress;
  readonly contract: ContractName;
  readonly enablePostRoutes: boolean;
  readonly workers: number;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  readonly logLevel: LogLevel;
}

/** The web server's configuration. Throws an `OperatorError` with one line for each mistake. */
export function readWebServerConfig(argv: readonly string[], env: NodeJS.ProcessEnv): WebServerConfig {
  const values = readOptions(webServerOptions, WEB_SERVER_PREFIX, argv, env);
  checkConnections(values.workers, values['postgres-max-connections']);
  return {
    network: values.network,
    bindAddress: values['bind-address'],
    contract: values.contract,
    enablePostRoutes: values['enable-post-routes'],
    workers: values.workers,
    node: nodeOf(values, values.network),
    postgres: postgresOf(values, values.network),
    logLevel: values['log-level'],
  };
}
