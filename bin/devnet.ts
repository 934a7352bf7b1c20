#!/usr/bin/env node
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NetworkError } from '../src/chain/networks/error.ts';
import { loadNetwork } from '../src/config/network.ts';
import type { ChainSource } from '../src/devnet/chain-source.ts';
import { ReplayNode } from '../src/devnet/replay.ts';
import type { RpcAuth } from '../src/devnet/rpc-auth.ts';
import { serveRpc } from '../src/devnet/rpc-server.ts';
import { chainLines } from '../src/devnet/sim/build-chain.ts';
import { writeLines } from '../src/devnet/sim/chain-lines.ts';
import { PRESETS, presetByName } from '../src/devnet/sim/mix.ts';
import { SimulatedNode, type SimulatedNodeOptions } from '../src/devnet/sim/simulated-node.ts';
import { parseNodeAddress } from '../src/node/address.ts';

const PRESET_NAMES = Object.keys(PRESETS).join(', ');
/** Blocks that are made at the start before a signal to stop is seen. */
const BLOCKS_BETWEEN_SIGNALS = 200;
/** A simulated chain that does not grow has this many blocks unless told otherwise. */
const STANDING_CHAIN_BLOCKS = 100;

const HELP = `A Mintlayer node for development: serves a recorded or a simulated chain over the node's JSON-RPC.

Usage: devnet --replay CHAIN.ndjson [options]
       devnet --preset NAME [options]
       devnet --preset NAME --blocks N --write CHAIN.ndjson

  --block-interval MS       a new best block each MS milliseconds; without it the whole chain is there at once

A recorded chain:
  --replay FILE             the chain file (.ndjson, plain or gzip)
  --resume-at ID            start with all blocks up to this one, as a node that ran before; the interval holds for the
                            rest (an ID that never was the best block: start with the whole chain)
  --upto LINE               ignore what follows after this line of the file (1 is the genesis)

A simulated chain:
  --preset NAME             ${PRESET_NAMES}
  --seed TEXT               the same seed gives the same chain (default 1)
  --blocks N                the chain's height at the start (default 0; without an interval 100)
  --reorg-probability X     how often a block is followed by a reorganisation, 0 to 1 (default 0)
  --network NAME|FILE       the network, from block 1 on with proof of stake (default regtest-pos)
  --chain-file FILE         keep the chain in this file, and go on with it when it exists
  --write FILE              write a chain file of N blocks (.ndjson, or .ndjson.gz) and end

  --rpc-bind-address H:P    where to listen (default 127.0.0.1:3030; port 0 takes a free one)
  --rpc-username NAME       ask clients for this user name ...
  --rpc-password TEXT       ... and this password
  --rpc-cookie-file FILE    or write a cookie file, as the node does; it is removed at the end
  --help                    this text

Without a user name and without a cookie file, everybody who reaches the port may ask.
When it listens, one line of JSON is printed: {"msg":"devnet is listening","address":"127.0.0.1:3030", ...}
`;

const OPTIONS = {
  replay: { type: 'string' },
  preset: { type: 'string' },
  seed: { type: 'string' },
  blocks: { type: 'string' },
  'reorg-probability': { type: 'string' },
  network: { type: 'string' },
  'chain-file': { type: 'string' },
  write: { type: 'string' },
  'block-interval': { type: 'string' },
  'resume-at': { type: 'string' },
  upto: { type: 'string' },
  'rpc-bind-address': { type: 'string', default: '127.0.0.1:3030' },
  'rpc-username': { type: 'string' },
  'rpc-password': { type: 'string' },
  'rpc-cookie-file': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** The command line cannot be understood. */
class UsageError extends Error {}

interface RecordedSource {
  readonly type: 'recorded';
  readonly replay: string;
  readonly upto: number | undefined;
  readonly resumeAt: string | undefined;
}

interface SimulatedSource {
  readonly type: 'simulated';
  readonly options: SimulatedNodeOptions;
  readonly blocks: number;
  /** Where to write the chain to, instead of serving it. */
  readonly write: string | undefined;
}

interface Settings {
  readonly source: RecordedSource | SimulatedSource;
  /** 0: the whole chain at once. */
  readonly blockIntervalMs: number;
  readonly host: string;
  readonly port: number;
  readonly auth: RpcAuth;
}

/** The settings, undefined when only help is wanted. Throws a UsageError. */
function readSettings(args: string[]): Settings | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const blockIntervalMs = wholeNumber('--block-interval', values['block-interval'] ?? '0', 0);
  return {
    source: values.preset === undefined ? recordedSource(values) : simulatedSource(values, blockIntervalMs),
    blockIntervalMs,
    ...bindAddress(values['rpc-bind-address']),
    auth: authOf(values['rpc-username'], values['rpc-password'], values['rpc-cookie-file']),
  };
}

type Values = ReturnType<typeof parse>;

function recordedSource(values: Values): RecordedSource {
  if (values.replay === undefined) throw new UsageError('--replay CHAIN.ndjson or --preset NAME is missing');
  for (const option of ['seed', 'blocks', 'reorg-probability', 'network', 'chain-file', 'write'] as const) {
    if (values[option] !== undefined) throw new UsageError(`--${option} is for a simulated chain, with --preset`);
  }
  return {
    type: 'recorded',
    replay: values.replay,
    upto: values.upto === undefined ? undefined : wholeNumber('--upto', values.upto, 1),
    resumeAt: values['resume-at']?.toLowerCase(),
  };
}

function simulatedSource(values: Values, blockIntervalMs: number): SimulatedSource {
  for (const option of ['replay', 'upto', 'resume-at'] as const) {
    if (values[option] !== undefined) throw new UsageError(`--${option} is for a recorded chain, not for --preset`);
  }
  const mix = presetByName(values.preset!);
  if (mix === undefined) throw new UsageError(`--preset must be ${PRESET_NAMES}, not "${values.preset}"`);
  const { write, 'chain-file': chainFile } = values;
  if (write !== undefined && values.blocks === undefined) throw new UsageError('--write needs --blocks N');
  if (write !== undefined && chainFile !== undefined) throw new UsageError('give either --write or --chain-file');
  const blocks = values.blocks ?? (blockIntervalMs > 0 ? '0' : `${STANDING_CHAIN_BLOCKS}`);
  return {
    type: 'simulated',
    options: {
      network: loadNetwork(values.network ?? 'regtest-pos'),
      seed: values.seed ?? '1',
      mix,
      reorganisationProbability: probability('--reorg-probability', values['reorg-probability'] ?? '0'),
      chainFile,
    },
    blocks: wholeNumber('--blocks', blocks, write === undefined ? 0 : 1),
    write,
  };
}

function probability(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new UsageError(`${option} must be from 0 to 1, not "${text}"`);
  return value;
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split('. ')[0] : String(error));
  }
}

function wholeNumber(option: string, text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new UsageError(`${option} must be a whole number from ${least} on, not "${text}"`);
  return Number(text);
}

function bindAddress(text: string): { host: string; port: number } {
  const anyPort = /^(.*):0$/.exec(text);
  try {
    return anyPort === null ? parseNodeAddress(text) : { ...parseNodeAddress(`${anyPort[1]}:1`), port: 0 };
  } catch {
    throw new UsageError(`--rpc-bind-address must be HOST:PORT, not "${text}"`);
  }
}

function authOf(username: string | undefined, password: string | undefined, cookieFile: string | undefined): RpcAuth {
  if (cookieFile !== undefined) {
    if (username !== undefined || password !== undefined)
      throw new UsageError('give either --rpc-cookie-file, or --rpc-username and --rpc-password');
    return { type: 'cookie', file: cookieFile };
  }
  if (username === undefined && password === undefined) return { type: 'none' };
  if (username === undefined || password === undefined)
    throw new UsageError('--rpc-username and --rpc-password belong together');
  if (username.includes(':')) throw new UsageError('--rpc-username must not contain a colon');
  return { type: 'password', username, password };
}

const log = (msg: string, fields: object = {}) => process.stdout.write(`${JSON.stringify({ msg, ...fields })}\n`);

async function run(settings: Settings): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // Started by another program with a channel to it: when that closes, the other one is gone.
  process.once('disconnect', () => stop.abort());
  try {
    const { source } = settings;
    if (source.type === 'recorded') await runRecorded(settings, source, stop.signal);
    else if (source.write === undefined) await runSimulated(settings, source, stop.signal);
    else await writeSimulated(source, source.write);
  } finally {
    if (process.connected) process.disconnect?.();
  }
}

async function runRecorded(settings: Settings, source: RecordedSource, stop: AbortSignal): Promise<void> {
  const { blockIntervalMs } = settings;
  const node = await ReplayNode.open(source.replay, { upto: source.upto });
  try {
    if (blockIntervalMs === 0) await node.replay(0, stop);
    else if (source.resumeAt !== undefined) await node.replayTo(source.resumeAt, stop);
    if (stop.aborted) return;
    await serve(node, settings, stop, async () => {
      if (blockIntervalMs === 0) return;
      await node.replay(blockIntervalMs, stop);
      if (!stop.aborted) log('the chain file has ended, its last block stays the tip', node.tip());
    });
  } finally {
    await node.close();
  }
  log('devnet has stopped');
}

async function runSimulated(settings: Settings, source: SimulatedSource, stop: AbortSignal): Promise<void> {
  const node = await SimulatedNode.open(source.options);
  try {
    while (node.tip().height < source.blocks && !stop.aborted) {
      node.growTo(Math.min(source.blocks, node.tip().height + BLOCKS_BETWEEN_SIGNALS));
      await nextTurn();
    }
    if (stop.aborted) return;
    await serve(node, settings, stop, async () => {
      if (settings.blockIntervalMs > 0) await node.live(settings.blockIntervalMs, stop);
    });
  } finally {
    node.close();
  }
  log('devnet has stopped');
}

async function writeSimulated({ options, blocks }: SimulatedSource, path: string): Promise<void> {
  const start = performance.now();
  await writeLines(path, chainLines({ ...options, blocks }));
  const seconds = (performance.now() - start) / 1000;
  log('chain is written', { file: path, blocks, seconds: Number(seconds.toFixed(1)) });
}

/** Serves the chain while it lives, then until `stop`. */
async function serve(
  chain: ChainSource,
  settings: Settings,
  stop: AbortSignal,
  live: () => Promise<void>,
): Promise<void> {
  const { host, port, auth } = settings;
  const server = await serveRpc(chain, { host, port, auth });
  try {
    const { id, height } = chain.tip();
    log('devnet is listening', { address: server.address, height, id, authentication: auth.type });
    await live();
    await aborted(stop);
  } finally {
    await server.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function main(): Promise<number> {
  try {
    const settings = readSettings(process.argv.slice(2));
    if (settings === undefined) process.stdout.write(HELP);
    else await run(settings);
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError || error instanceof NetworkError;
    process.stderr.write(isUsage ? `devnet: ${reason}. See --help.\n` : `devnet: ${reason}\n`);
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main();
