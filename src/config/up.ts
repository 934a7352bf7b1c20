import { fileURLToPath } from 'node:url';
import type { Network } from '../chain/networks/network.ts';
import { type LogLevel, logLevelOption } from './log.ts';
import { readNetwork } from './network.ts';
import { mentionsNode, nodeOf, nodeOptions } from './node.ts';
import { OperatorError } from './operator-error.ts';
import { type BindAddress, flag, type Option, type OptionValues, readOptions, text, wholeNumber } from './option.ts';
import { databaseOf } from './postgres.ts';
import { type ContractName, servingOptions } from './web-server.ts';

export const UP_PREFIX = 'CHAIN_INDEXER_';

const DEMO_CHAIN = fileURLToPath(new URL('../../chains/demo.ndjson.gz', import.meta.url));
const DEMO_BLOCK_INTERVAL_MS = 500;

const network: Option<{ argument: string; network: Network } | undefined> = {
  ...text('NAME|FILE', 'Index a real node of this network (mainnet, testnet, …) instead of the devnet'),
  fallback: undefined,
  read: (value) => ({ argument: value, network: readNetwork(value) }),
};

export const upOptions = {
  'data-dir': text('DIR', 'Where everything is kept, and found again by the next start', './data'),
  ...servingOptions,
  replay: text('FILE', 'Let the devnet replay this recorded chain (.ndjson, plain or gzip) [default: the demo chain]'),
  'block-interval': wholeNumber(
    `Milliseconds between two blocks of the devnet; 0: all at once [default: ${DEMO_BLOCK_INTERVAL_MS} for the demo chain, otherwise 0]`,
    { least: 0, most: 3_600_000 },
  ),
  upto: wholeNumber('Replay the chain file up to this line only', { least: 1, most: Number.MAX_SAFE_INTEGER }),
  network,
  ...nodeOptions,
  'postgres-host': text('HOST', 'Use the PostgreSQL on this host instead of the embedded one'),
  'postgres-port': wholeNumber('Port of PostgreSQL [default: 5432, a free one for the embedded PostgreSQL]', {
    least: 1,
    most: 65_535,
  }),
  'postgres-user': text('NAME', 'User of that PostgreSQL [default: postgres]'),
  'postgres-password': text('TEXT', 'Password of that user'),
  'postgres-database': text('NAME', 'Database [default: mintlayer- and the name of the network]'),
  resync: flag('Drop the index and build it anew'),
  'log-level': logLevelOption,
};

/** Where the blocks come from. */
export type BlockSource =
  | {
      readonly type: 'replay';
      readonly file: string;
      readonly blockIntervalMs: number;
      readonly upto: number | undefined;
    }
  | {
      readonly type: 'node';
      readonly networkArgument: string;
      readonly network: Network;
      readonly address: string;
      /** The options as they are handed on to the programs. */
      readonly settings: Readonly<Record<string, string>>;
    };

/** Where the index is. */
export type DatabaseSource =
  | { readonly type: 'embedded'; readonly port: number | undefined }
  | {
      readonly type: 'external';
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string | undefined;
    };

export interface UpConfig {
  readonly dataDir: string;
  readonly source: BlockSource;
  readonly database: DatabaseSource;
  /** The database's name for a network. */
  readonly databaseName: (network: Network) => string;
  readonly bindAddress: BindAddress;
  readonly contract: ContractName;
  readonly enablePostRoutes: boolean;
  readonly workers: number;
  readonly resync: boolean;
  readonly logLevel: LogLevel;
}

/** The configuration of `up`. Throws an `OperatorError` with one line for each mistake. */
export function readUpConfig(argv: readonly string[], env: NodeJS.ProcessEnv): UpConfig {
  const values = readOptions(upOptions, UP_PREFIX, argv, env);
  const databaseName = values['postgres-database'];
  return {
    dataDir: values['data-dir'],
    source: sourceOf(values),
    database: databaseSourceOf(values),
    databaseName: (of) => databaseName ?? databaseOf(of),
    bindAddress: values['bind-address'],
    contract: values.contract,
    enablePostRoutes: values['enable-post-routes'],
    workers: values.workers,
    resync: values.resync,
    logLevel: values['log-level'],
  };
}

function sourceOf(values: OptionValues<typeof upOptions>): BlockSource {
  const { network: named, replay, upto } = values;
  const interval = values['block-interval'];
  if (named === undefined) {
    if (mentionsNode(values)) throw new OperatorError('For a real node give its --network, too.');
    return {
      type: 'replay',
      file: replay ?? DEMO_CHAIN,
      blockIntervalMs: interval ?? (replay === undefined ? DEMO_BLOCK_INTERVAL_MS : 0),
      upto,
    };
  }
  for (const [option, value] of Object.entries({ replay, 'block-interval': interval, upto })) {
    if (value !== undefined)
      throw new OperatorError(`--${option} is for the devnet, --network for a real node: give one.`);
  }
  const settings: Record<string, string> = {};
  for (const option of Object.keys(nodeOptions) as (keyof typeof nodeOptions)[]) {
    const value = values[option];
    if (value !== undefined) settings[option] = value;
  }
  const { address } = nodeOf(values, named.network);
  return { type: 'node', networkArgument: named.argument, network: named.network, address, settings };
}

function databaseSourceOf(values: OptionValues<typeof upOptions>): DatabaseSource {
  const host = values['postgres-host'];
  const port = values['postgres-port'];
  const user = values['postgres-user'];
  const password = values['postgres-password'];
  if (host !== undefined) return { type: 'external', host, port: port ?? 5432, user: user ?? 'postgres', password };
  for (const [option, value] of Object.entries({ 'postgres-user': user, 'postgres-password': password })) {
    if (value !== undefined)
      throw new OperatorError(`--${option} is for a PostgreSQL of your own: give --postgres-host, too.`);
  }
  return { type: 'embedded', port };
}
