/** Finds the common ancestor of our chain and the node's. */
import type pg from 'pg';
import type { NodeClient } from '../../node/client.ts';
import { readBlockId } from '../../store/write/tip.ts';
import { lowestUndoHeight } from '../../store/write/undo-log.ts';
import { withThreeAttempts } from '../fetch/node-retry.ts';
import { ChainMovedError, DeepForkError } from '../fetch/verify-blocks.ts';

/**
 * Returns the greatest height, at most `heights.ours` and `heights.node`, at which the node's main chain has our block. It
 * requests ids by height, so it also works if the node no longer has our tip. Throws a DeepForkError if that height is
 * below the oldest undo record: the node may return to our chain.
 */
export async function commonAncestorHeight(
  client: pg.Client,
  node: NodeClient,
  heights: { ours: number; node: number },
  signal: AbortSignal,
): Promise<number> {
  const agrees = async (height: number): Promise<boolean> => {
    const [ours, theirs] = await Promise.all([
      readBlockId(client, height),
      withThreeAttempts(signal, (options) => node.blockIdAtHeight(height, options)),
    ]);
    // The node's chain has become shorter since it reported its height.
    if (theirs === null) throw new ChainMovedError(`the node has no block at height ${height} any more`);
    return ours === theirs;
  };
  let high = Math.min(heights.ours, heights.node);
  if (await agrees(high)) return high;
  const lowest = await lowestUndoHeight(client, heights.ours);
  let low = Math.min(lowest, high);
  if (!(await agrees(low))) {
    throw new DeepForkError(
      `the node's chain parts from the index below height ${lowest}, more than the ${heights.ours - lowest} blocks that can be ` +
        'undone; nothing was changed. Check that this is the right node; if it is, start the scanner once with --resync.',
    );
  }
  // Invariant: both chains agree at `low` and differ at `high`.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await agrees(middle)) low = middle;
    else high = middle;
  }
  return low;
}
