/** Carries out a reorganisation: replaces the blocks above a common ancestor by the node's branch. */
import type { Logger } from 'pino';
import type { IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { inDatabaseTransaction } from '../../store/postgres/in-transaction.ts';
import { deleteRowsAbove } from '../../store/write/append-only-tables.ts';
import { writeBlocks } from '../../store/write/block-batch.ts';
import { insertReorganisation, rememberRemovedBlocks } from '../../store/write/reorganisation-log.ts';
import { readBlockId, readChainTipAt } from '../../store/write/tip.ts';
import { restoreState } from '../../store/write/undo-log.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import { withThreeAttempts } from '../fetch/node-retry.ts';
import { assertOnMainChain, ChainMovedError, decodeAndVerifyBlocks } from '../fetch/verify-blocks.ts';
import { countsOfBlocks, type ScannerStatus } from '../monitor/status.ts';
import type { BatchApplier } from './apply-batches.ts';

/** The number of blocks that following requests from the node, and commits, at once. */
export const FOLLOW_BATCH_BLOCKS = 100;

/** What the functions that follow the tip need. */
export interface FollowContext {
  readonly session: WriterSession;
  readonly applier: BatchApplier;
  readonly node: NodeClient;
  readonly status: ScannerStatus;
  readonly logger: Logger;
  readonly signal: AbortSignal;
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
