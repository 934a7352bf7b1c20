/** Encoded blocks from the node, identified and checked to follow each other. */
import { identifyBlock } from '../../chain/codec/block.ts';
import { DecodeError } from '../../chain/scale/decode-error.ts';
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { withNodeRetry } from './node-retry.ts';

/** The node's answers do not fit together: its chain changed in between, or a block came damaged. Asking again may help. */
export class ChainMovedError extends Error {
  override readonly name = 'ChainMovedError';
}

/** What came as a block is none. Asking again may help. */
export class DamagedBlockError extends Error {
  override readonly name = 'DamagedBlockError';
}

/** Decodes blocks; throws a DamagedBlockError, or a ChainMovedError when one does not follow `parent`. */
export function decodeAndVerifyBlocks(encoded: readonly Uint8Array[], parent: Id): IdentifiedBlock[] {
  let previous = parent;
  return encoded.map((bytes) => {
    const identified = identify(bytes, previous);
    if (identified.block.header.prevBlockId !== previous) {
      throw new ChainMovedError(
        `block ${identified.id} follows ${identified.block.header.prevBlockId}, not ${previous}`,
      );
    }
    previous = identified.id;
    return identified;
  });
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
 * Asks the node whether the block at `height` of its main chain is `id`. The blocks below are then right too, for each
 * names the one before; only this one's header nothing else vouches for. Throws a ChainMovedError when it is not.
 */
export async function assertOnMainChain(node: NodeClient, height: number, id: Id, signal: AbortSignal): Promise<void> {
  const theirs = await withNodeRetry(signal, (options) => node.blockIdAtHeight(height, options));
  if (theirs === id) return;
  throw new ChainMovedError(`the bytes of block ${height} hash to ${id}, but the node's block there is ${theirs}`);
}
