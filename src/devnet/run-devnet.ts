/** Runs the devnet: builds or opens a chain, and serves it until it is stopped; or writes it to a file. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { ChainFileError } from './chain-file-reader.ts';
import { writeErrorToThrow } from './file-write-error.ts';
import { ReplayNode } from './replay-node.ts';
import type { RpcAuth } from './rpc-authentication.ts';
import { serveRpc } from './rpc-server.ts';
import type { ServedNode } from './served-node-interface.ts';
import { blockTimesFrom, type StartTime } from './sim/block-times.ts';
import { chainFileLines } from './sim/build-chain.ts';
import { writeLines } from './sim/chain-file-writer.ts';
import { SimulatedNode, type SimulatedNodeOptions } from './sim/simulated-node.ts';

/** Blocks that are made at the start before a signal to stop is seen. */
const BLOCKS_BETWEEN_SIGNALS = 200;

export interface RecordedChainSource {
  readonly type: 'recorded';
  readonly replay: string;
  readonly upto: number | undefined;
  readonly resumeAt: string | undefined;
}

export interface SimulatedSource {
  readonly type: 'simulated';
  readonly options: SimulatedNodeOptions;
  readonly blocks: number;
  /** The time of the block at height `blocks`; undefined: blocks follow the genesis. */
  readonly startTime: StartTime | undefined;
  /** The file to write the chain to, instead of serving it. */
  readonly write: string | undefined;
}

export interface DevnetSettings {
  readonly source: RecordedChainSource | SimulatedSource;
  /** 0: the whole chain at once. */
  readonly blockIntervalMs: number;
  readonly host: string;
  readonly port: number;
  readonly auth: RpcAuth;
}

/** Prints a line of JSON for each event that the parent process has to know. */
const log = (msg: string, fields: object = {}) => process.stdout.write(`${JSON.stringify({ msg, ...fields })}\n`);

/** What to do about a chain file that cannot be used. */
const REMEDIES = {
  recorded: 'Give another file with --replay.',
  simulated: 'Move this file away; the next start simulates a new chain.',
} as const;

/** Runs until it is stopped. Throws an `OperatorError` if the files or the port that it was told to use cannot be used. */
export async function runDevnet(settings: DevnetSettings, stop: AbortSignal): Promise<void> {
  const { source } = settings;
  try {
    if (source.type === 'recorded') await runRecorded(settings, source, stop);
    else if (source.write === undefined) await runSimulated(settings, source, stop);
    else await writeSimulated(settings, source, source.write);
  } catch (error) {
    if (!(error instanceof ChainFileError)) throw error;
    throw new OperatorError(`${error.message}. ${REMEDIES[source.type]}`, { cause: error });
  }
}

async function runRecorded(settings: DevnetSettings, source: RecordedChainSource, stop: AbortSignal): Promise<void> {
  const { blockIntervalMs } = settings;
  const node = await ReplayNode.open(source.replay, source.upto);
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

async function runSimulated(settings: DevnetSettings, source: SimulatedSource, stop: AbortSignal): Promise<void> {
  const node = await SimulatedNode.open({ ...source.options, ...timesOf(settings, source) });
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

async function writeSimulated(settings: DevnetSettings, source: SimulatedSource, path: string): Promise<void> {
  const { options, blocks } = source;
  const start = performance.now();
  const lines = chainFileLines({ ...options, ...timesOf(settings, source), blocks });
  await writeLines(path, lines).catch((error: unknown) => {
    throw writeErrorToThrow(`The chain file ${path}`, error);
  });
  const seconds = (performance.now() - start) / 1000;
  log('chain is written', { file: path, blocks, seconds: Number(seconds.toFixed(1)) });
}

function timesOf({ blockIntervalMs }: DevnetSettings, { startTime, blocks }: SimulatedSource) {
  return startTime === undefined ? {} : blockTimesFrom(startTime, blocks, blockIntervalMs);
}

/** Serves the chain while it lives, then until `stop`. */
async function serve(
  chain: ServedNode,
  settings: DevnetSettings,
  stop: AbortSignal,
  live: () => Promise<void>,
): Promise<void> {
  const { host, port, auth } = settings;
  const server = await serveRpc(chain, { host, port, auth });
  try {
    const { id, height } = chain.tip();
    log('devnet is listening', { address: server.address, height, id, authentication: auth.type });
    await live();
    if (!stop.aborted) await once(stop, 'abort');
  } finally {
    await server.close();
  }
}
