/** The chain that is measured on: a recorded file, or a simulated one that is built once and kept. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Network } from '../src/chain/networks/network.ts';
import { ChainFile } from '../src/devnet/chain-file-reader.ts';
import { readRecordedNetwork } from '../src/up/chain-file-network.ts';

/** Chains that were built for an earlier run are found here again. */
const CACHE = join(tmpdir(), 'chain-indexer-bench-chains');
/** Raised when the simulation makes other chains from the same seed. */
const CACHE_VERSION = 2;

export interface BenchChain {
  readonly file: string;
  readonly from: { readonly file: string };
  /** The title in the report. */
  readonly title: string;
  readonly network: Network;
  /** The value for the programs' `--network`. */
  readonly networkArgument: string;
  /** The line of the file at which each height first became the tip: `lines[0]` is the genesis' line, 1. */
  readonly lines: readonly number[];
  /** The ids of the main chain's blocks by height. */
  readonly ids: readonly string[];
  /** Encoded blocks of the main chain, at most so many as were asked for. */
  readonly blocks: readonly Buffer[];
  readonly height: number;
}

/** The file of a simulated chain with that many blocks; built when there is none yet. */
export async function simulatedChainFile(
  preset: string,
  seed: string,
  blocks: number,
  say: (text: string) => void,
): Promise<string> {
  const file = join(CACHE, `${preset}-${seed}-${blocks}-v${CACHE_VERSION}.ndjson.gz`);
  if (existsSync(file)) return file;
  say(`building a chain of ${blocks} blocks (preset ${preset}, seed ${seed}); it is kept for the next run ...`);
  await mkdir(CACHE, { recursive: true });
  const unfinished = join(CACHE, `unfinished-${process.pid}.ndjson.gz`);
  const program = fileURLToPath(new URL('../bin/devnet.ts', import.meta.url));
  const args = [program, `--preset=${preset}`, `--seed=${seed}`, `--blocks=${blocks}`, `--write=${unfinished}`];
  try {
    await promisify(execFile)(process.execPath, args);
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  return file;
}

/** Reads a chain file. `directory` takes the network's description when it is none of the known ones. */
export async function readChain(file: string, directory: string, keepBlocks: number): Promise<BenchChain> {
  const { network, networkArgument } = await readRecordedNetwork(file, directory);
  const lines = [1];
  const ids = [network.genesisId];
  const heights = new Map([[network.genesisId, 0]]);
  const kept: Buffer[] = [];
  await using chain = await ChainFile.open(file);
  for (let block = await chain.next(); block !== undefined; block = await chain.next()) {
    const height = (heights.get(block.prev) ?? 0) + 1;
    heights.set(block.id, height);
    if (!block.tip) continue;
    lines[height] ??= block.line;
    ids[height] = block.id;
    if (height <= keepBlocks) kept[height - 1] = block.bytes;
  }
  const blocks = kept.filter((bytes) => bytes !== undefined);
  const height = ids.length - 1;
  const title = `${file.split('/').at(-1)}, ${height} blocks`;
  return { file, from: { file }, title, network, networkArgument, lines, ids, blocks, height };
}
