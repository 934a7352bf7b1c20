/** At the tip: block after block as the node gets them, and reorganisations. */
import type { Logger } from 'pino';
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { readBlockId } from '../../store/write/tip.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import { withNodeRetry } from '../fetch/node-retry.ts';
import { assertOnMainChain, ChainMovedError, decodeAndVerifyBlocks } from '../fetch/verify-blocks.ts';
import { countsOf, type ScannerStatus } from '../monitor/status.ts';
import { commonAncestorHeight } from './common-ancestor.ts';
import type { Indexer } from './indexer.ts';
import { extendChain, replaceBranch } from './reorg.ts';

/** Blocks that are asked for, and committed, at once. */
export const FOLLOW_BATCH = 100;

export interface FollowContext {
  readonly session: WriterSession;
  readonly indexer: Indexer;
  readonly node: NodeClient;
  readonly status: ScannerStatus;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * What one step found: new blocks (as many as were asked for: there may be more), nothing new, or a node that is behind
 * on the same chain.
 */
export type FollowResult = 'idle' | 'behind' | 'moved' | 'far';

/** Takes over what the node has beyond our tip: the next blocks, or a better branch. */
export async function followTip(context: FollowContext): Promise<FollowResult> {
  const { indexer, node, status, signal } = context;
  const { height, blockId } = indexer.chain;
  const [encoded, best] = await Promise.all([
    withNodeRetry(signal, (options) => node.mainchainBlocks(height + 1, FOLLOW_BATCH, options)),
    withNodeRetry(signal, (options) => node.chainInfo(options)),
  ]);
  status.nodeAnswered(best.bestBlock.height);
  if (encoded.length > 0 && parentOf(encoded[0]!) === blockId) {
    const blocks = decodeAndVerifyBlocks(encoded, blockId);
    const last = blocks.at(-1)!.id;
    if (last !== best.bestBlock.id) await assertOnMainChain(node, height + blocks.length, last, signal);
    await extend(context, blocks);
    return encoded.length === FOLLOW_BATCH ? 'far' : 'moved';
  }
  if (best.bestBlock.id === blockId) return 'idle';
  const heights = { ours: height, node: best.bestBlock.height };
  const ancestor = await commonAncestorHeight(context.session.reader, node, heights, signal);
  if (ancestor === best.bestBlock.height) return 'behind';
  if (ancestor < height) await reorganise(context, ancestor, best.bestBlock.height);
  else if (encoded.length > 0)
    throw new ChainMovedError(`what the node gave as block ${height + 1} does not follow ${blockId}`);
  return 'moved';
}

async function extend(context: FollowContext, blocks: readonly IdentifiedBlock[]): Promise<void> {
  const { session, indexer, status, logger } = context;
  await extendChain(session, indexer, blocks);
  status.indexed(indexer.chain, countsOf(blocks));
  const { height, blockId } = indexer.chain;
  logger.info({ height, block: blockId, blocks: blocks.length }, 'new tip');
}

/** Takes over the node's branch above the ancestor. */
async function reorganise(context: FollowContext, ancestor: number, nodeHeight: number): Promise<void> {
  const { session, indexer, node, status, logger, signal } = context;
  status.enter('reorganising');
  const left = indexer.chain;
  // Up to our height at least, so that no reader sees a chain that is shorter than it has to be.
  const count = Math.min(nodeHeight, Math.max(left.height, ancestor + FOLLOW_BATCH)) - ancestor;
  const encoded = await withNodeRetry(signal, (options) => node.mainchainBlocks(ancestor + 1, count, options));
  if (encoded.length < count) throw new ChainMovedError('the node reorganised again while its branch was being read');
  const fork = await readBlockId(session.reader, ancestor);
  const branch = decodeAndVerifyBlocks(encoded, fork ?? '');
  await assertOnMainChain(node, ancestor + count, branch.at(-1)!.id, signal);
  await replaceBranch(session, indexer, ancestor, branch);
  status.reorganised(left.height - ancestor);
  status.indexed(indexer.chain, countsOf(branch));
  const { height, blockId } = indexer.chain;
  logger.info({ ancestor, left: left.height - ancestor, height, block: blockId }, 'reorganised');
}

/** The parent's id of an encoded block: it follows the version byte. */
function parentOf(encoded: Buffer): Id {
  return encoded.toString('hex', 1, 33);
}
