/** Follows the tip: the node's new blocks, a few at a time; reorganisations are in `reorg.ts`. */
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { inDatabaseTransaction } from '../../store/postgres/in-transaction.ts';
import { writeBlocks } from '../../store/write/block-batch.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import { withThreeAttempts } from '../fetch/node-retry.ts';
import { assertOnMainChain, ChainMovedError, decodeAndVerifyBlocks } from '../fetch/verify-blocks.ts';
import { countsOfBlocks } from '../monitor/status.ts';
import type { BatchApplier } from './apply-batches.ts';
import { FOLLOW_BATCH_BLOCKS, type FollowContext } from './follow-context.ts';
import { commonAncestorHeight, switchToNodeBranch } from './reorg.ts';

/**
 * The result of a step. `moreAvailable`: the index has new blocks, as many as one request returns, so the node may have more.
 * `nodeBehind`: the node is on the same chain, but behind the index.
 */
export type FollowResult = 'upToDate' | 'nodeBehind' | 'advanced' | 'moreAvailable';

/** Indexes the node's next blocks, or switches to its branch. */
export async function followTipOnce(context: FollowContext): Promise<FollowResult> {
  const { applier, node, status, signal } = context;
  const { height, blockId } = applier.chain;
  const [encoded, best] = await Promise.all([
    withThreeAttempts(signal, (options) => node.mainchainBlocks(height + 1, FOLLOW_BATCH_BLOCKS, options)),
    withThreeAttempts(signal, (options) => node.chainInfo(options)),
  ]);
  status.nodeAnswered(best.bestBlock.height);
  if (encoded.length > 0 && parentOf(encoded[0]!) === blockId) {
    const blocks = decodeAndVerifyBlocks(encoded, blockId);
    const last = blocks.at(-1)!.id;
    if (last !== best.bestBlock.id) await assertOnMainChain(node, height + blocks.length, last, signal);
    await extend(context, blocks);
    return encoded.length === FOLLOW_BATCH_BLOCKS ? 'moreAvailable' : 'advanced';
  }
  if (best.bestBlock.id === blockId) return 'upToDate';
  const heights = { ours: height, node: best.bestBlock.height };
  const ancestor = await commonAncestorHeight(context.session.reader, node, heights, signal);
  if (ancestor === best.bestBlock.height) return 'nodeBehind';
  if (ancestor < height) await switchToNodeBranch(context, ancestor, best.bestBlock.height);
  else if (encoded.length > 0)
    throw new ChainMovedError(`what the node gave as block ${height + 1} does not follow ${blockId}`);
  else await assertHasBlock(node, height + 1, signal);
  return 'advanced';
}

/** Asks again for the node's next block: the first answer had none, but it may have come since then. */
async function assertHasBlock(node: NodeClient, height: number, signal: AbortSignal): Promise<void> {
  const found = await withThreeAttempts(signal, (options) => node.mainchainBlocks(height, 1, options));
  if (found.length === 0) throw new ChainMovedError(`the node says that it has block ${height}, but does not give it`);
}

async function extend(context: FollowContext, blocks: readonly IdentifiedBlock[]): Promise<void> {
  const { session, applier, status, logger } = context;
  await extendChain(session, applier, blocks);
  status.indexed(applier.chain, countsOfBlocks(blocks));
  const { height, blockId } = applier.chain;
  logger.info({ height, block: blockId, blocks: blocks.length }, 'new tip');
}

/** Applies blocks on top of the tip, and commits them with undo records in one transaction. */
export async function extendChain(
  { reader, writer }: WriterSession,
  applier: BatchApplier,
  blocks: readonly IdentifiedBlock[],
): Promise<void> {
  const prepared = await applier.prepare(reader, blocks);
  const applied = prepared.apply();
  const state = applied.takeState();
  await inDatabaseTransaction(writer, () => writeBlocks(writer, applied.records, state));
  state.committed();
}

/** Returns the parent's id of an encoded block, which follows the version byte. */
function parentOf(encoded: Buffer): Id {
  return encoded.toString('hex', 1, 33);
}
