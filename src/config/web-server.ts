/** The options of the web server. */

import { MarksFile } from '../answers/marks-file.ts';
import { type IpNetworkWeight, parseIpNetwork } from '../serving/resources/client-weights.ts';
import { MIN_MEMORY_BYTES } from '../serving/resources/create-resources.ts';
import { logOptions } from './logger.ts';
import { metricsAddressOption } from './metrics-address.ts';
import { networkOption } from './network.ts';
import { nodeAndPostgresOptionsOf, nodeAndPostgresOptionTable } from './node-and-postgres.ts';
import {
  bindAddressOption,
  choiceOption,
  flagOption,
  type Option,
  readOptions,
  textOption,
  wholeNumberOption,
} from './option.ts';
import { checkPostgresConnections } from './postgres.ts';
import { defaultMemory, maxClientConnections, maxMemoryOption, tooLittleMemoryError } from './process-limits.ts';

/** The environment names are mintlayer-core's, so that unit files can stay the same. */
export const WEB_SERVER_PREFIX = 'ML_API_WEB_SRV_';

const CONTRACT_NAMES = ['described', 'mintlayer-core'] as const;
export type ResponseProfileName = (typeof CONTRACT_NAMES)[number];

/** Returns the URL without a slash at its end. */
function readBaseUrl(value: string): string {
  const url = URL.parse(value);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isPlain || url.username !== '') throw new RangeError('must be a URL like https://example.org/indexer');
  return url.href.replace(/\/+$/, '');
}

const MAX_WEIGHT = 1_000;

/** Networks with weights: `192.0.2.0/24=8,2001:db8::/48=4`. */
function networkWeights(help: string): Option<readonly IpNetworkWeight[]> {
  return { placeholder: 'NETWORK=N,…', help, fallback: [], read: (value) => value.split(',').map(readNetworkWeight) };
}

function readNetworkWeight(text: string): IpNetworkWeight {
  const [network = '', number = ''] = text.trim().split('=', 2);
  const weight = Number(number);
  if (!/^\d{1,4}$/.test(number) || weight < 1 || weight > MAX_WEIGHT) {
    throw new RangeError(`must be like 192.0.2.0/24=8, with weights from 1 to ${MAX_WEIGHT}`);
  }
  parseIpNetwork(network);
  return { network, weight };
}

/** Options that `up` passes to the web server unchanged. */
export const optionsSharedWithUp = {
  'bind-address': bindAddressOption('Address to listen on', '127.0.0.1:3000'),
  contract: choiceOption(
    'Response profile: the JSON of the API description, or exactly that of mintlayer-core',
    CONTRACT_NAMES,
    'described',
  ),
  'enable-post-routes': flagOption('Allow clients to submit transactions to the node'),
  workers: wholeNumberOption('Processes that serve on the same port', [1, 256], 1),
  'max-connections': wholeNumberOption(
    'Maximum client connections of all workers together [default: limited by open files and memory]',
    [1, 1_000_000],
  ),
  'rate-limit': wholeNumberOption(
    'Maximum requests per second of a client, with bursts of one second; each worker counts on its own; 0: no limit',
    [0, 1_000_000],
    0,
  ),
  'trust-proxy': wholeNumberOption(
    'Number of reverse proxies in front; the client address is the N-th entry from the end of X-Forwarded-For',
    [0, 16],
    0,
  ),
  'client-weights': networkWeights(
    "Networks of clients that serve many users (a wallet's backend): each such client gets the share of N clients",
  ),
  'public-url': {
    ...textOption(
      'URL',
      'Public URL of the server, if a proxy changes it; used in links of pages, Link headers, the OpenAPI document and its page',
    ),
    read: readBaseUrl,
  },
  explorer: choiceOption('The explorer: pages for browsers', ['on', 'off'], 'on'),
  mesh: choiceOption('The Mesh (Rosetta) API for exchanges and custodians, at /mesh', ['on', 'off'], 'off'),
  'ipfs-gateway': {
    ...textOption('URL', 'Gateway to which pages link the IPFS addresses of tokens and NFTs, such as https://ipfs.io'),
    read: readBaseUrl,
  },
  'marks-file': textOption(
    'FILE',
    'JSON file of names, icons, verifications and warnings of tokens, pools and addresses',
  ),
  'metrics-address': metricsAddressOption,
};

/** The names are mintlayer-core's, except the limit per client, which mintlayer-core does not have. */
const streamOptions = {
  'stream-events-max-subscribers': wholeNumberOption(
    'Maximum open event streams of all workers together',
    [1, 1_000_000],
    10_000,
  ),
  'stream-events-max-subscribers-per-client': wholeNumberOption(
    'Maximum open event streams of a client address; each worker counts on its own',
    [1, 1_000_000],
    20,
  ),
  'stream-events-broadcast-capacity': wholeNumberOption(
    'Maximum number of events that a client may be behind; a slower client loses events',
    [1, 65_536],
    1_024,
  ),
  'stream-events-poll-interval-secs': wholeNumberOption(
    'Accepted without effect: the tip is always watched',
    [1, 86_400],
    30,
  ),
  'stream-events-keepalive-interval-secs': wholeNumberOption(
    'Seconds without an event after which a stream gets a keepalive comment; the event keepalive comes after 30 at the latest. chain-indexer-client reconnects after 90 s of silence',
    [1, 3_600],
    30,
  ),
};

export const webServerOptions = {
  network: networkOption,
  ...optionsSharedWithUp,
  'max-memory': maxMemoryOption,
  'max-lag': wholeNumberOption(
    'Seconds that a replica may be behind its primary; above that /ready returns 503; 0: no limit',
    [0, 86_400],
    0,
  ),
  'shutdown-delay': wholeNumberOption(
    'Seconds at shutdown during which the port stays open and /ready returns 503',
    [0, 600],
    0,
  ),
  ...streamOptions,
  ...nodeAndPostgresOptionTable,
  ...logOptions,
  'access-log': flagOption('Log each request: method, path, status, milliseconds, bytes, client address'),
};

/** Returns the web server's configuration. Throws an `OperatorError` with one line for each mistake. */
export function readWebServerConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(webServerOptions, WEB_SERVER_PREFIX, argv, env);
  checkPostgresConnections(values.workers, values['postgres-max-connections']);
  const { workers } = values;
  return {
    ...nodeAndPostgresOptionsOf(values.network, values, env),
    bindAddress: values['bind-address'],
    contract: values.contract,
    enablePostRoutes: values['enable-post-routes'],
    workers,
    /** Memory of all workers together, in bytes. */
    maxMemory: checkedMemory(values['max-memory'], workers),
    /** Connections of all workers together. */
    maxConnections: values['max-connections'] ?? workers * maxClientConnections(),
    /** Requests per second of each client; 0: no limit. */
    rateLimit: values['rate-limit'],
    /** The number of proxies before the server. */
    trustedProxies: values['trust-proxy'],
    clientWeights: values['client-weights'],
    /** The URL without a trailing slash; empty if not given. */
    publicUrl: values['public-url'] ?? '',
    /** Are there pages for browsers? */
    hasExplorer: values.explorer === 'on',
    /** Is there the Mesh API? */
    hasMesh: values.mesh === 'on',
    /** Without a trailing slash; empty if not given. */
    ipfsGateway: values['ipfs-gateway'] ?? '',
    /** Null if not given. */
    marks: values['marks-file'] === undefined ? null : new MarksFile(values['marks-file'], values.network),
    metricsAddress: values['metrics-address'],
    maxLagSeconds: values['max-lag'],
    shutdownDelayMs: values['shutdown-delay'] * 1_000,
    /** The limits of event streams: subscribers of all workers together, and of a client in one worker. */
    streams: {
      maxSubscribers: values['stream-events-max-subscribers'],
      maxSubscribersPerClient: values['stream-events-max-subscribers-per-client'],
      broadcastCapacity: values['stream-events-broadcast-capacity'],
      keepaliveMs: values['stream-events-keepalive-interval-secs'] * 1_000,
    },
    hasAccessLog: values['access-log'],
    log: { 'log-level': values['log-level'], 'log-format': values['log-format'] },
  };
}

/** Throws an `OperatorError` if the configured memory is too small for the number of workers. */
function checkedMemory(given: number | undefined, workers: number): number {
  const least = workers * MIN_MEMORY_BYTES;
  if (given === undefined) return Math.max(defaultMemory(), least);
  if (given >= least) return given;
  throw tooLittleMemoryError(workers, least);
}
