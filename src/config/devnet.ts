/**
 * The options of the devnet. They are not in the common option table, because their help has groups and their values
 * depend on each other.
 */
import { parseArgs } from 'node:util';
import type { Network } from '../chain/networks/network.ts';
import type { RpcAuth } from '../devnet/rpc-authentication.ts';
import type { DevnetSettings, RecordedSource, SimulatedSource } from '../devnet/run-devnet.ts';
import type { StartTime } from '../devnet/sim/block-times.ts';
import { MIX_PRESETS, mixPresetByName } from '../devnet/sim/transaction-mix.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { parseNetworkOption } from './network.ts';
import { bindAddressOption, mistakeText, probabilityOption, wholeNumberOption } from './option.ts';
import { checkStartTime, readStartTime, START_TIME_FORM } from './start-time.ts';

const PRESET_NAMES = Object.keys(MIX_PRESETS).join(', ');
/** Default number of blocks of a simulated chain that does not grow. */
const STANDING_CHAIN_BLOCKS = 100;
const MAX_NUMBER = 999_999_999;
const RPC_BIND_ADDRESS = '127.0.0.1:3030';

/** Environment variable with the password that clients must send. */
export const RPC_PASSWORD_VARIABLE = 'CHAIN_INDEXER_DEVNET_RPC_PASSWORD';

export const DEVNET_HELP = `A Mintlayer node for development: serves a recorded or a simulated chain over the node's JSON-RPC.

Usage: devnet --replay CHAIN.ndjson [options]
       devnet --preset NAME [options]
       devnet --preset NAME --blocks N --write CHAIN.ndjson

  --block-interval MS       a new best block every MS milliseconds; without it the whole chain is there at once

A recorded chain:
  --replay FILE             the chain file (.ndjson, plain or gzip)
  --resume-at ID            start with all blocks up to this one, like a restarted node; the interval applies to the
                            rest (an ID that never was the best block: start with the whole chain)
  --upto LINE               ignore the lines of the file after this one (1 is the genesis)

A simulated chain:
  --preset NAME             ${PRESET_NAMES}
  --seed TEXT               the same seed, with the same --blocks and --start-time, gives the same chain (default 1)
  --blocks N                the chain's height at the start (default 0; without an interval 100)
  --start-time TIME         ${START_TIME_FORM}: the time of the block at
                            height --blocks; 30 days of sparse blocks come before it. With now, later blocks have
                            the clock's time (default: blocks follow the genesis, two minutes apart)
  --reorg-probability X     probability that a reorganisation follows a block, 0 to 1 (default 0)
  --network NAME|FILE       the network, with proof of stake from block 1 (default regtest-pos)
  --chain-file FILE         keep the chain in this file, and continue with it if it exists
  --write FILE              write a chain file of N blocks (.ndjson or .ndjson.gz) and exit

  --rpc-bind-address H:P    address to listen on (default ${RPC_BIND_ADDRESS}; port 0 takes a free one)
  --rpc-username NAME       require this user name from clients ...
  --rpc-password TEXT       ... and this password; in the environment it is not visible to other users, as
                            ${RPC_PASSWORD_VARIABLE}
  --rpc-cookie-file FILE    or write a cookie file as the node does; it is removed at the end
  --help                    this text
  --version                 the version

Without a user name and a cookie file, it answers everybody who reaches the port.
When it is listening it prints one line of JSON: {"msg":"devnet is listening","address":"127.0.0.1:3030", ...}
`;

const OPTIONS = {
  replay: { type: 'string' },
  preset: { type: 'string' },
  seed: { type: 'string' },
  blocks: { type: 'string' },
  'start-time': { type: 'string' },
  'reorg-probability': { type: 'string' },
  network: { type: 'string' },
  'chain-file': { type: 'string' },
  write: { type: 'string' },
  'block-interval': { type: 'string' },
  'resume-at': { type: 'string' },
  upto: { type: 'string' },
  'rpc-bind-address': { type: 'string', default: RPC_BIND_ADDRESS },
  'rpc-username': { type: 'string' },
  'rpc-password': { type: 'string' },
  'rpc-cookie-file': { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

/** Parses the settings, `help` or `version`. Throws an `OperatorError` for the first mistake. */
export function readDevnetSettings(args: string[], env: NodeJS.ProcessEnv = {}): DevnetSettings | 'help' | 'version' {
  try {
    return readSettings(args, env);
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${error.message}. See --help.`, { cause: error });
    throw error;
  }
}

function readSettings(args: string[], env: NodeJS.ProcessEnv): DevnetSettings | 'help' | 'version' {
  const values = parse(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const blockIntervalMs = wholeNumber('block-interval', values['block-interval'] ?? '0', 0);
  return {
    source: values.preset === undefined ? recordedSource(values) : simulatedSource(values, blockIntervalMs),
    blockIntervalMs,
    ...readValue('rpc-bind-address', values['rpc-bind-address'], bindAddressOption('', RPC_BIND_ADDRESS).read),
    auth: authOf(values, env),
  };
}

type Values = ReturnType<typeof parse>;

function recordedSource(values: Values): RecordedSource {
  if (values.replay === undefined) throw new OperatorError('--replay CHAIN.ndjson or --preset NAME is missing');
  for (const option of [
    'seed',
    'blocks',
    'start-time',
    'reorg-probability',
    'network',
    'chain-file',
    'write',
  ] as const) {
    if (values[option] !== undefined) throw new OperatorError(`--${option} is for a simulated chain, with --preset`);
  }
  return {
    type: 'recorded',
    replay: values.replay,
    upto: values.upto === undefined ? undefined : wholeNumber('upto', values.upto, 1),
    resumeAt: values['resume-at']?.toLowerCase(),
  };
}

function simulatedSource(values: Values, blockIntervalMs: number): SimulatedSource {
  for (const option of ['replay', 'upto', 'resume-at'] as const) {
    if (values[option] !== undefined) throw new OperatorError(`--${option} is for a recorded chain, not for --preset`);
  }
  const mix = mixPresetByName(values.preset!);
  if (mix === undefined) throw new OperatorError(`--preset must be ${PRESET_NAMES}, not "${values.preset}"`);
  const { write, 'chain-file': chainFile } = values;
  if (write !== undefined && values.blocks === undefined) throw new OperatorError('--write needs --blocks N');
  if (write !== undefined && chainFile !== undefined) throw new OperatorError('give either --write or --chain-file');
  const height = values.blocks ?? (blockIntervalMs > 0 ? '0' : `${STANDING_CHAIN_BLOCKS}`);
  const blocks = wholeNumber('blocks', height, write === undefined ? 0 : 1);
  const network = readValue('network', values.network ?? 'regtest-pos', parseNetworkOption);
  return {
    type: 'simulated',
    options: {
      network,
      seed: values.seed ?? '1',
      mix,
      reorganisationProbability: readValue(
        'reorg-probability',
        values['reorg-probability'] ?? '0',
        probabilityOption('', 0).read,
      ),
      chainFile,
    },
    blocks,
    startTime: startTime(values['start-time'], blocks, network),
    write,
  };
}

function startTime(text: string | undefined, blocks: number, network: Network): StartTime | undefined {
  if (text === undefined) return undefined;
  return readValue('start-time', text, () => {
    const start = readStartTime(text);
    checkStartTime(start, blocks, network);
    return start;
  });
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message.split('. ')[0]! : String(error));
  }
}

function readValue<T>(name: string, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    throw new OperatorError(mistakeText(`--${name}`, text, error), { cause: error });
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  return readValue(name, text, wholeNumberOption('', [least, MAX_NUMBER], least).read);
}

function authOf(values: Values, env: NodeJS.ProcessEnv): RpcAuth {
  const { 'rpc-username': username, 'rpc-cookie-file': cookieFile } = values;
  const password = values['rpc-password'] ?? (env[RPC_PASSWORD_VARIABLE] || undefined);
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
