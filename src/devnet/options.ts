/** The options of the devnet. */

import { loadNetwork, networkOption } from '../config/network.ts';
import {
  bindAddressOption,
  choiceOption,
  givenOptionTexts,
  type Option,
  type OptionValues,
  probabilityOption,
  readOptions,
  textOption,
  wholeNumberOption,
} from '../config/option.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { RpcAuth } from './rpc-authentication.ts';
import type { DevnetSettings, RecordedChainSource, SimulatedSource } from './run-devnet.ts';
import type { StartTime } from './sim/block-times.ts';
import { MIX_PRESETS, type MixPreset } from './sim/transaction-mix.ts';
import { checkStartTime, readStartTime, START_TIME_FORM } from './start-time.ts';

export const DEVNET_PREFIX = 'CHAIN_INDEXER_DEVNET_';

/** Default number of blocks of a simulated chain that does not grow. */
const STANDING_CHAIN_BLOCKS = 100;
const MAX_NUMBER = 999_999_999;

const recordedOptions = {
  replay: textOption('FILE', 'Recorded chain: its file (.ndjson, plain or gzip)'),
  'resume-at': textOption(
    'ID',
    'Recorded chain: start with all blocks up to this one, like a restarted node; the interval applies to the rest (an ID that never was the best block: start with the whole chain)',
  ),
  upto: wholeNumberOption('Recorded chain: ignore the lines of the file after this one (1 is the genesis)', [
    1,
    MAX_NUMBER,
  ]),
};

const startTime: Option<StartTime | undefined> = {
  placeholder: 'TIME',
  help: `Simulated chain: ${START_TIME_FORM}: the time of the block at height --blocks; 30 days of sparse blocks come before it. With now, later blocks have the clock's time [default: blocks follow the genesis, two minutes apart]`,
  fallback: undefined,
  read: readStartTime,
};

const simulatedOptions = {
  preset: choiceOption('Simulated chain: its kind', Object.keys(MIX_PRESETS) as MixPreset[]),
  seed: textOption(
    'TEXT',
    'Simulated chain: the same seed, with the same --blocks and --start-time, gives the same chain',
    '1',
  ),
  blocks: wholeNumberOption(
    `Simulated chain: its height at the start [default: 0, without --block-interval ${STANDING_CHAIN_BLOCKS}]`,
    [0, MAX_NUMBER],
  ),
  'start-time': startTime,
  'reorg-probability': probabilityOption('Simulated chain: probability that a reorganisation follows a block', 0),
  network: {
    ...networkOption,
    help: 'Simulated chain: its network, with proof of stake from block 1',
    fallback: loadNetwork('regtest-pos'),
    fallbackText: 'regtest-pos',
  },
  'chain-file': textOption('FILE', 'Simulated chain: keep it in this file, and continue with it if it exists'),
  write: textOption('FILE', 'Simulated chain: write a chain file of --blocks (.ndjson or .ndjson.gz) and exit'),
};

export const devnetOptions = {
  ...recordedOptions,
  ...simulatedOptions,
  'block-interval': wholeNumberOption(
    'A new best block every N milliseconds; 0: the whole chain is there at once',
    [0, MAX_NUMBER],
    0,
  ),
  'rpc-bind-address': bindAddressOption('Address to listen on; port 0 takes a free one', '127.0.0.1:3030'),
  'rpc-username': textOption(
    'NAME',
    'Require this user name from clients; without it and a cookie file all are served',
  ),
  'rpc-password': textOption('TEXT', 'and this password; in the environment it is not visible to other users'),
  'rpc-cookie-file': textOption('FILE', 'Write a cookie file as the node does; it is removed at the end'),
};

type Values = OptionValues<typeof devnetOptions>;

/** Returns the settings. Throws an `OperatorError` for mistakes. */
export function readDevnetSettings(argv: readonly string[], env: NodeJS.ProcessEnv): DevnetSettings {
  const values = readOptions(devnetOptions, DEVNET_PREFIX, argv, env);
  const refuse = (options: typeof recordedOptions | typeof simulatedOptions, reason: string) => {
    const [option] = Object.keys(givenOptionTexts(options, devnetOptions, DEVNET_PREFIX, argv, env));
    if (option !== undefined) throw new OperatorError(`--${option} is for ${reason}`);
  };
  if (values.preset !== undefined) refuse(recordedOptions, 'a recorded chain, not for --preset');
  else if (values.replay === undefined)
    throw new OperatorError('--replay FILE or --preset NAME is missing. See --help.');
  else refuse(simulatedOptions, 'a simulated chain, with --preset');
  return {
    source: values.preset === undefined ? recordedSource(values) : simulatedSource(values, values.preset),
    blockIntervalMs: values['block-interval'],
    ...values['rpc-bind-address'],
    auth: authOf(values),
  };
}

function recordedSource({ replay, upto, 'resume-at': resumeAt }: Values): RecordedChainSource {
  return { type: 'recorded', replay: replay!, upto, resumeAt: resumeAt?.toLowerCase() };
}

function simulatedSource(values: Values, preset: MixPreset): SimulatedSource {
  const { network, seed, write, 'chain-file': chainFile, 'start-time': startTime } = values;
  if (write !== undefined && !values.blocks) throw new OperatorError('--write needs --blocks N');
  if (write !== undefined && chainFile !== undefined) throw new OperatorError('give either --write or --chain-file');
  const blocks = values.blocks ?? (values['block-interval'] > 0 ? 0 : STANDING_CHAIN_BLOCKS);
  if (startTime !== undefined) checkStartTime(startTime, blocks, network);
  return {
    type: 'simulated',
    options: {
      network,
      seed,
      mix: MIX_PRESETS[preset],
      reorganisationProbability: values['reorg-probability'],
      chainFile,
    },
    blocks,
    startTime,
    write,
  };
}

function authOf(values: Values): RpcAuth {
  const { 'rpc-username': username, 'rpc-password': password, 'rpc-cookie-file': cookieFile } = values;
  if (cookieFile !== undefined) {
    if (username !== undefined || password !== undefined)
      throw new OperatorError('give either --rpc-cookie-file, or --rpc-username and --rpc-password');
    return { type: 'cookie', file: cookieFile };
  }
  if (username === undefined && password === undefined) return { type: 'none' };
  if (username === undefined || password === undefined)
    throw new OperatorError('--rpc-username and --rpc-password belong together');
  if (username.includes(':')) throw new OperatorError('--rpc-username must not contain a colon');
  return { type: 'password', username, password };
}
