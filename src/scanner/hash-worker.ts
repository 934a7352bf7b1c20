/** The worker thread of `block-reader.ts`: parses the node's answer, hashes and checks its blocks. */
import { parentPort } from 'node:worker_threads';
import { identifyBlock } from '../chain/codec/block.ts';
import type { Id } from '../chain/types.ts';
import { parseMainchainBlocks } from '../node/answers.ts';

/** Blocks as bytes, one after the other, with what they hash to. */
export interface HashedBlocks {
  readonly bytes: Uint8Array;
  /** Where each block ends in `bytes`. */
  readonly ends: readonly number[];
  readonly ids: readonly Id[];
  readonly rewardHashes: readonly Id[];
  readonly transactionIds: readonly (readonly Id[])[];
}

export interface HashFailure {
  readonly failure: Error;
}

function hash(body: Uint8Array): HashedBlocks {
  const blocks = parseMainchainBlocks(body);
  const identified = blocks.map((block) => identifyBlock(block));
  let end = 0;
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  const ends = blocks.map((block) => {
    bytes.set(block, end);
    end += block.length;
    return end;
  });
  return {
    bytes,
    ends,
    ids: identified.map(({ id }) => id),
    rewardHashes: identified.map(({ rewardHash }) => rewardHash),
    transactionIds: identified.map(({ transactionIds }) => transactionIds),
  };
}

parentPort?.on('message', (body: Uint8Array) => {
  try {
    const hashed = hash(body);
    parentPort?.postMessage(hashed, [hashed.bytes.buffer as ArrayBuffer]);
  } catch (error) {
    parentPort?.postMessage({ failure: error as Error } satisfies HashFailure);
  }
});
