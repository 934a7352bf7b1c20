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

/** The names are mintlayer-core's, but for that of the limit of one client, which it does not have. */
const streamOptions = {
  'stream-events-max-subscribers': wholeNumber('Most streams of events at a time, of all workers together', {
    least: 1,
    most: 1_000_000,
    fallback: 10_000,
  }),
  'stream-events-max-subscribers-per-client': wholeNumber(
    'Most streams of events of one client address; each worker counts those that it has',
    { least: 1, most: 1_000_000, fallback: 20 },
  ),
  'stream-events-broadcast-capacity': wholeNumber('Events that a client may be behind before it loses some', {
    least: 1,
    most: 65_536,
    fallback: 1_024,
  }),
  'stream-events-poll-interval-secs': wholeNumber('Has no effect: the tip is watched all the time', {
    least: 1,
    most: 86_400,
    fallback: 30,
  }),
  'stream-events-keepalive-interval-secs': wholeNumber(
    'Seconds after which a comment is sent on a stream on which nothing else was',
    { least: 1, most: 3_600, fallback: 30 },
  ),
};

export const webServerOptions = {
  network: loadedNetworkOption,
  ...servingOptions,
  ...streamOptions,
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
  /** Limits of the streams of events; subscribers of all workers together, and of one client in one worker. */
  readonly streams: {
    readonly maxSubscribers: number;
    readonly maxSubscribersPerClient: number;
    readonly broadcastCapacity: number;
    readonly keepaliveMs: number;
  };
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
    streams: {
      maxSubscribers: values['stream-events-max-subscribers'],
      maxSubscribersPerClient: values['stream-events-max-subscribers-per-client'],
      broadcastCapacity: values['stream-events-broadcast-capacity'],
      keepaliveMs: values['stream-events-keepalive-interval-secs'] * 1_000,
    },
    node: nodeOf(values, values.network),
    postgres: postgresOf(values, values.network),
    logLevel: values['log-level'],
  };
}
