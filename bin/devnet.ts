#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { ReplayNode, type ReplayOptions } from '../src/devnet/replay.ts';
import type { RpcAuth } from '../src/devnet/rpc-auth.ts';
import { serveRpc } from '../src/devnet/rpc-server.ts';
import { parseNodeAddress } from '../src/node/address.ts';

const HELP = `A Mintlayer node for development: serves a recorded chain over the node's JSON-RPC.

Usage: devnet --replay CHAIN.ndjson [options]

  --replay FILE             the chain file (.ndjson, plain or gzip)
  --block-interval MS       a new best block each MS milliseconds; without it the whole chain is there at once
  --resume-at ID            start with all blocks up to this one, as a node that ran before; the interval holds for the
                            rest (an ID that never was the best block: start with the whole chain)
  --upto LINE               ignore what follows after this line of the file (1 is the genesis)
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

interface Settings {
  readonly replay: string;
  readonly upto: number | undefined;
  readonly resumeAt: string | undefined;
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
  if (values.replay === undefined) throw new UsageError('--replay CHAIN.ndjson is missing');
  return {
    replay: values.replay,
    upto: values.upto === undefined ? undefined : wholeNumber('--upto', values.upto, 1),
    resumeAt: values['resume-at']?.toLowerCase(),
    blockIntervalMs: wholeNumber('--block-interval', values['block-interval'] ?? '0', 0),
    ...bindAddress(values['rpc-bind-address']),
    auth: authOf(values['rpc-username'], values['rpc-password'], values['rpc-cookie-file']),
  };
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
  const { replay, upto, resumeAt, blockIntervalMs, host, port, auth } = settings;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // Started by another program with a channel to it: when that closes, the other one is gone.
  process.once('disconnect', () => stop.abort());

  const options: ReplayOptions = { upto };
  const node = await ReplayNode.open(replay, options);
  try {
    if (blockIntervalMs === 0) await node.replay(0, stop.signal);
    else if (resumeAt !== undefined) await node.replayTo(resumeAt, stop.signal);
    if (stop.signal.aborted) return;
    const server = await serveRpc(node, { host, port, auth });
    try {
      const { id, height } = node.tip();
      log('devnet is listening', { address: server.address, height, id, authentication: auth.type });
      if (blockIntervalMs > 0) {
        await node.replay(blockIntervalMs, stop.signal);
        if (!stop.signal.aborted) log('the chain file has ended, its last block stays the tip', node.tip());
      }
      await aborted(stop.signal);
    } finally {
      await server.close();
    }
  } finally {
    await node.close();
    if (process.connected) process.disconnect?.();
  }
  log('devnet has stopped');
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
    const isUsage = error instanceof UsageError;
    process.stderr.write(isUsage ? `devnet: ${reason}. See --help.\n` : `devnet: ${reason}\n`);
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main();
