/**
 * A range of blocks as the fetching thread sends it to the main thread. The blocks are sent encoded, and the main thread
 * decodes them again, because transferring decoded blocks would cost much more.
 */
import { decodeBlock, identifyBlock } from '../../chain/codec/block.ts';
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import { parseMainchainBlocks } from '../../node/result-parsers.ts';

/** Encoded blocks, one after the other, with the hashes that belong to them. */
export interface HashedBlocks {
  readonly count: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each block in `bytes`. */
  readonly ends: readonly number[];
  readonly ids: readonly Id[];
  readonly rewardHashes: readonly Id[];
  readonly transactionIds: readonly (readonly Id[])[];
  readonly transactionSizes: readonly (readonly number[])[];
}

/**
 * Parses a response of `mainchainBlocksRaw`, hashes its blocks and checks their Merkle roots. Throws a NodeError for a
 * damaged response, a DecodeError for a damaged block.
 */
export function hashBlocks(body: Uint8Array): HashedBlocks {
  const blocks = parseMainchainBlocks(body);
  const identified = blocks.map((block) => identifyBlock(block));
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let end = 0;
  const ends = blocks.map((block) => {
    bytes.set(block, end);
    end += block.length;
    return end;
  });
  return {
    count: blocks.length,
    bytes,
    ends,
    ids: identified.map(({ id }) => id),
    rewardHashes: identified.map(({ rewardHash }) => rewardHash),
    transactionIds: identified.map(({ transactionIds }) => transactionIds),
    transactionSizes: identified.map(({ transactionSizes }) => transactionSizes),
  };
}

export function decodeHashedBlocks(hashed: HashedBlocks): IdentifiedBlock[] {
  const { bytes, ends, ids, rewardHashes, transactionIds, transactionSizes } = hashed;
  return ids.map((id, i) => {
    const encoded = bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
    return {
      id,
      block: decodeBlock(encoded),
      transactionIds: transactionIds[i]!,
      transactionSizes: transactionSizes[i]!,
      rewardHash: rewardHashes[i]!,
      size: encoded.length,
    };
  });
}
