/** Encoded blocks from the node, identified and checked to follow each other. */
import { identifyBlock } from '../chain/codec/block.ts';
import type { Id, IdentifiedBlock } from '../chain/types.ts';

/** The node's answers do not fit together: its chain changed in between, or a block came damaged. Asking again may help. */
export class ChainMovedError extends Error {
  override readonly name = 'ChainMovedError';
}

/** Decodes blocks; throws a DecodeError for a damaged one, a ChainMovedError when one does not follow `parent`. */
export function identifyBlocks(encoded: readonly Uint8Array[], parent: Id): IdentifiedBlock[] {
  let previous = parent;
  return encoded.map((bytes) => {
    const identified = identifyBlock(bytes);
    if (identified.block.header.prevBlockId !== previous) {
      throw new ChainMovedError(
        `block ${identified.id} follows ${identified.block.header.prevBlockId}, not ${previous}`,
      );
    }
    previous = identified.id;
    return identified;
  });
}
