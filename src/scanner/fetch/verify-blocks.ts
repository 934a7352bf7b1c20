/** Identifies encoded blocks from the node, and checks that they follow each other. */
import { identifyBlock } from '../../chain/codec/block.ts';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { withThreeAttempts } from './node-retry.ts';

/** The node's responses contradict each other: its chain changed in between, or a block is damaged. A retry may help. */
export class ChainMovedError extends Error {
  override readonly name: string = 'ChainMovedError';
}

/** The node's chain parts from ours deeper than blocks can be undone. The node may return to ours. */
export class DeepForkError extends ChainMovedError {
  override readonly name = 'DeepForkError';
}

/** The bytes of a block cannot be decoded. A retry may help. */
export class DamagedBlockError extends Error {
  override readonly name = 'DamagedBlockError';
}

/**
 * Decodes blocks. Throws a DamagedBlockError, or a ChainMovedError if a block does not follow `parent` or the block
 * before it.
 */
export function decodeAndVerifyBlocks(encoded: readonly Uint8Array[], parent: Id): IdentifiedBlock[] {
  let previous = parent;
  return encoded.map((bytes) => {
    const identified = identify(bytes, previous);
    requireParent(identified, previous);
    previous = identified.id;
    return identified;
  });
}

/** Throws a ChainMovedError if a block does not follow this one. */
export function requireParent({ id, block }: IdentifiedBlock, parent: Id): void {
  const { prevBlockId } = block.header;
  if (prevBlockId !== parent) throw new ChainMovedError(`block ${id} follows ${prevBlockId}, not ${parent}`);
}

function identify(bytes: Uint8Array, previous: Id): IdentifiedBlock {
  try {
    return identifyBlock(bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DamagedBlockError(`the block that the node gave after ${previous} is damaged: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * Throws a ChainMovedError unless the node's main chain has the block `id` at `height`. The blocks below it are then right
 * as well, because each block names its parent. Nothing else confirms the header of the last block.
 */
export async function assertOnMainChain(node: NodeClient, height: number, id: Id, signal: AbortSignal): Promise<void> {
  const theirs = await withThreeAttempts(signal, (options) => node.blockIdAtHeight(height, options));
  if (theirs === id) return;
  throw new ChainMovedError(`the bytes of block ${height} hash to ${id}, but the node's block there is ${theirs}`);
}
