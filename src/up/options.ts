/** The options of `npm start`. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { regtestPos } from '../chain/networks/known-networks.ts';
import type { Network } from '../chain/networks/network.ts';
import { logLevelOption } from '../config/logger.ts';
import { parseNetworkOption } from '../config/network.ts';
import { nodeClientOptionsOf, nodeOptions } from '../config/node.ts';
import {
  choiceOption,
  flagOption,
  givenOptionTexts,
  type Option,
  type OptionTable,
  type OptionValues,
  probabilityOption,
  readOptions,
  textOption,
  wholeNumberOption,
} from '../config/option.ts';
import { defaultDatabaseName, readPostgresEnvironment } from '../config/postgres.ts';
import { divideMemory, totalMemoryOption } from '../config/process-limits.ts';
import { optionsSharedWithUp } from '../config/web-server.ts';
import type { StartTime } from '../devnet/sim/block-times.ts';
import { MIX_PRESETS, type MixPreset } from '../devnet/sim/transaction-mix.ts';
import { checkStartTime, readStartTime, START_TIME_FORM } from '../devnet/start-time.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { MAX_NAME_BYTES } from '../store/postgres/create-database.ts';

export const UP_PREFIX = 'CHAIN_INDEXER_';

/** The demo chain: a block an hour for 30 days, so that each day holds something; then a new block every other second. */
const DEMO = { preset: 'demo', seed: '1', blocks: 720 } as const;
const SIMULATED_BLOCK_INTERVAL_MS = 2_000;

const network: Option<{ argument: string; network: Network } | undefined> = {
  ...textOption('NAME|FILE', 'Index a real node of this network (mainnet, testnet, …) instead of the devnet'),
  fallback: undefined,
  read: (value) => ({ argument: value, network: parseNetworkOption(value) }),
};

const startTime: Option<StartTime> = {
  ...textOption(
    'TIME',
    `Time of the block at height --blocks, after 30 days of sparse blocks: ${START_TIME_FORM}; a fixed time with the same seed gives the same chain`,
  ),
  fallback: 'now',
  fallbackText: 'now',
  read: readStartTime,
};

export const upOptions = {
  'data-dir': textOption('DIR', 'Directory of all data; the next start continues from it', './data'),
  'max-memory': totalMemoryOption,
  ...optionsSharedWithUp,
  preset: choiceOption('Kind of chain that the devnet simulates', Object.keys(MIX_PRESETS) as MixPreset[], DEMO.preset),
  seed: textOption('TEXT', 'Seed of the simulated chain', DEMO.seed),
  blocks: wholeNumberOption('Blocks of the simulated chain at the start', [0, 10_000_000], DEMO.blocks),
  'start-time': startTime,
  'reorg-probability': probabilityOption('Probability that a reorganisation follows a simulated block, 0 to 1', 0),
  replay: textOption('FILE', 'Replay this recorded chain (.ndjson, plain or gzip) instead of simulating one'),
  upto: wholeNumberOption('Replay the chain file up to this line only', [1, 999_999_999]),
  'block-interval': wholeNumberOption(
    `Milliseconds between blocks of the devnet; 0: all at once [default: ${SIMULATED_BLOCK_INTERVAL_MS} for a simulated chain, 0 for a recorded one]`,
    [0, 3_600_000],
  ),
  network,
  ...nodeOptions,
  'postgres-host': textOption('HOST', 'Use the PostgreSQL on this host instead of the embedded one'),
  'postgres-port': wholeNumberOption(
    'PostgreSQL port [default: 5432, a free one for the embedded PostgreSQL]',
    [1, 65_535],
  ),
  'postgres-user': textOption('NAME', 'PostgreSQL user [default: postgres]'),
  'postgres-password': textOption('TEXT', 'Password of that user'),
  'postgres-database': textOption(
    'NAME',
    'PostgreSQL database [default: mintlayer-, the network, and the chain of the devnet]',
  ),
  resync: flagOption('Drop the index and build it again'),
  'log-level': logLevelOption,
};

type Values = OptionValues<typeof upOptions>;
/** Options as given. */
type Texts = Readonly<Record<string, string>>;

/** The source of the blocks. */
export type BlockSource = ReturnType<typeof sourceOf>;

export type UpConfig = ReturnType<typeof readUpConfig>;

/** Returns the configuration of `up`. Throws an `OperatorError` with one line for each mistake. */
export function readUpConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(upOptions, UP_PREFIX, argv, env);
  const databaseName = values['postgres-database'];
  const given = (part: OptionTable) => givenOptionTexts(part, upOptions, UP_PREFIX, argv, env);
  const all = given(upOptions);
  const source = sourceOf(values, all, given(nodeOptions));
  return {
    dataDir: values['data-dir'],
    source,
    database: databaseSourceOf(values, all, env),
    /** Returns the database's name for a network. */
    databaseName: (of: Network) => databaseName ?? databaseOfChain(of, source),
    bindAddress: values['bind-address'],
    contract: values.contract,
    workers: values.workers,
    memory: divideMemory(values['max-memory'], values.workers),
    /** The web server's options, as they were given. */
    serving: given(optionsSharedWithUp),
    resync: values.resync,
    logLevel: values['log-level'],
  };
}

function sourceOf(values: Values, given: Texts, nodeSettings: Texts) {
  const { network: named, replay, upto } = values;
  const interval = values['block-interval'];
  if (named !== undefined) {
    const ofDevnet = ['replay', ...SIMULATION_OPTIONS, 'block-interval', 'upto'] as const;
    refuse(given, ofDevnet, (option) => `--${option} is for the devnet, --network for a real node: give one.`);
    const { network, argument } = named;
    const node = nodeClientOptionsOf(values, network);
    return { type: 'node' as const, networkArgument: argument, network, node, settings: nodeSettings };
  }
  if (Object.keys(nodeSettings).length > 0) throw new OperatorError('For a real node give its --network, too.');
  if (replay !== undefined) {
    const reason = (option: string) => `--${option} is for a simulated chain, --replay for a recorded one: give one.`;
    refuse(given, SIMULATION_OPTIONS, reason);
    return { type: 'replay' as const, file: replay, blockIntervalMs: interval ?? 0, upto };
  }
  refuse(given, ['upto'], () => '--upto is for a recorded chain: give --replay, too.');
  const startTime = values['start-time'];
  checkStartTime(startTime, values.blocks, regtestPos);
  return {
    type: 'simulation' as const,
    preset: values.preset,
    seed: values.seed,
    blocks: values.blocks,
    startTime,
    reorgProbability: values['reorg-probability'],
    blockIntervalMs: interval ?? SIMULATED_BLOCK_INTERVAL_MS,
  };
}

const SIMULATION_OPTIONS = ['preset', 'seed', 'blocks', 'start-time', 'reorg-probability'] as const;

/** Throws an `OperatorError` with a line for each of these options that was given. */
function refuse<T extends string>(given: Texts, options: readonly T[], reason: (option: T) => string): void {
  const refused = options.filter((option) => given[option] !== undefined);
  if (refused.length > 0) throw new OperatorError(refused.map(reason).join('\n'));
}

/**
 * Returns the database of a chain. Each chain of a devnet has its own, so that it is possible to change chains and
 * return.
 */
function databaseOfChain(of: Network, source: BlockSource): string {
  switch (source.type) {
    case 'node':
      return defaultDatabaseName(of);
    case 'replay':
      return shortenDatabaseName(`${defaultDatabaseName(of)}-${basename(source.file).replace(/\.ndjson(\.gz)?$/, '')}`);
    case 'simulation':
      return shortenDatabaseName(`${defaultDatabaseName(of)}-${simulatedChainName(source)}`);
  }
}

/** Returns the name of a simulated chain. Options that make another chain are in it. */
export function simulatedChainName({ preset, seed, startTime }: Extract<BlockSource, { type: 'simulation' }>): string {
  return startTime === 'now' ? `${preset}-${seed}` : `${preset}-${seed}-${startTime}`;
}

/** Returns a short name unchanged, otherwise a short name with a hash of it. */
export function shortenDatabaseName(name: string): string {
  if (/^[\w .-]+$/.test(name) && name.length <= MAX_NAME_BYTES) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `${name.slice(0, 40).replace(/[^\w.-]/g, '_')}-${digest}`;
}

/** Returns the location of the index. */
function databaseSourceOf(values: Values, given: Texts, env: NodeJS.ProcessEnv) {
  const { 'postgres-host': host, 'postgres-port': port, 'postgres-password': password } = values;
  if (host !== undefined) {
    const user = values['postgres-user'] ?? 'postgres';
    const tls = readPostgresEnvironment(env, given);
    return { type: 'external' as const, host, port: port ?? 5432, user, password, ...(tls && { tls }) };
  }
  const ofExternal = ['postgres-user', 'postgres-password'] as const;
  refuse(given, ofExternal, (option) => `--${option} is for a PostgreSQL of your own: give --postgres-host, too.`);
  return { type: 'embedded' as const, port };
}
