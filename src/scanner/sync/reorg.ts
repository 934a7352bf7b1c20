/** Carries out a reorganisation: finds the common ancestor, and replaces the blocks above it by the node's branch. */
import type pg from 'pg';
import type { IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { inDatabaseTransaction } from '../../store/postgres/in-transaction.ts';
import { deleteRowsAbove } from '../../store/write/append-only-tables.ts';
import { writeBlocks } from '../../store/write/block-batch.ts';
import { insertReorganisation, rememberRemovedBlocks } from '../../store/write/reorganisation-log.ts';
import { readBlockId, readChainTipAt } from '../../store/write/tip.ts';
import { lowestUndoHeight, restoreState } from '../../store/write/undo-log.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import { withThreeAttempts } from '../fetch/node-retry.ts';
import { assertOnMainChain, ChainMovedError, DeepForkError, decodeAndVerifyBlocks } from '../fetch/verify-blocks.ts';
import { countsOfBlocks } from '../monitor/status.ts';
import type { BatchApplier } from './apply-batches.ts';
import { FOLLOW_BATCH_BLOCKS, type FollowContext } from './follow-context.ts';

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

/** Fetches the node's branch above the ancestor and replaces ours with it. */
export async function switchToNodeBranch(context: FollowContext, ancestor: number, nodeHeight: number): Promise<void> {
  const { session, applier, status, logger } = context;
  status.enter('reorganising');
  const before = applier.chain.height;
  const branch = await fetchBranch(context, ancestor, nodeHeight);
  await replaceBranch(session, applier, ancestor, branch);
  status.reorganised(before - ancestor);
  status.indexed(applier.chain, countsOfBlocks(branch));
  const { height, blockId } = applier.chain;
  logger.info({ ancestor, removed: before - ancestor, height, block: blockId }, 'reorganised');
}

/**
 * Fetches the branch at least up to our height if it is that long, so that readers see no shorter chain than necessary.
 */
async function fetchBranch(
  { session, applier, node, signal }: FollowContext,
  ancestor: number,
  nodeHeight: number,
): Promise<IdentifiedBlock[]> {
  const count = Math.min(nodeHeight, Math.max(applier.chain.height, ancestor + FOLLOW_BATCH_BLOCKS)) - ancestor;
  const encoded = await withThreeAttempts(signal, (options) => node.mainchainBlocks(ancestor + 1, count, options));
  if (encoded.length < count) throw new ChainMovedError('the node reorganised again while its branch was being read');
  const fork = await readBlockId(session.reader, ancestor);
  const branch = decodeAndVerifyBlocks(encoded, fork ?? '');
  await assertOnMainChain(node, ancestor + count, branch.at(-1)!.id, signal);
  return branch;
}

/** Replaces the blocks above `ancestor` in one transaction, so that readers see one branch or the other. */
export async function replaceBranch(
  { writer }: WriterSession,
  applier: BatchApplier,
  ancestor: number,
  blocks: readonly IdentifiedBlock[],
): Promise<void> {
  const state = await inDatabaseTransaction(writer, async () => {
    const fork = await readChainTipAt(writer, ancestor);
    await restoreState(writer, ancestor);
    await rememberRemovedBlocks(writer, ancestor, fork.transactionCount);
    await insertReorganisation(writer, ancestor, blocks);
    await deleteRowsAbove(writer, ancestor, fork.transactionCount);
    applier.resumeAt(fork);
    const prepared = await applier.prepare(writer, blocks);
    const applied = prepared.apply();
    const pending = applied.takeState();
    await writeBlocks(writer, applied.records, pending);
    return pending;
  });
  state.committed();
}
