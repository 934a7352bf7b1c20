/**
 * The sync far from the tip. Blocks are fetched ahead, and a batch is applied in memory while those before it are written.
 * Several batches make a transaction. Append-only rows are copied as they come. Changed state is written once at the end of
 * the transaction, so a balance that changes in every block is written once. Only the newest blocks get undo records,
 * because older ones are never undone.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdentifiedBlock } from '../../chain/types.ts';
import { LastingCondition } from '../../errors/lasting-condition.ts';
import type { NodeClient } from '../../node/client.ts';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { UNDO_DEPTH } from '../../store/write/undo-log.ts';
import type { DatabaseBootstrap } from '../database/database-state.ts';
import type { BlockFeed } from '../fetch/block-feed.ts';
import { retryUntilAnswered, withThreeAttempts } from '../fetch/node-retry.ts';
import { assertOnMainChain } from '../fetch/verify-blocks.ts';
import type { SyncProgress } from '../monitor/progress.ts';
import { BatchWriter } from '../write/batch-writer.ts';
import { BulkCommits } from '../write/bulk-commits.ts';
import type { PreparedBlocks } from './apply-batches.ts';
import type { FollowContext } from './follow-context.ts';

/**
 * An index that is more blocks than this behind the node is synced in bulk. Up to 1,000 blocks, following is as fast (ten
 * requests), keeps the index readable, and needs no threads. The number does not depend on how deep a reorganisation may be.
 */
export const BULK_SYNC_DISTANCE = 1_000;

interface BulkContext extends FollowContext {
  /** The statements that create a new index, executed while the first blocks are applied; null if the index exists. */
  readonly bootstrap: DatabaseBootstrap | null;
  readonly postgres: PostgresOptions;
  /** The bytes of blocks that are committed together. */
  readonly transactionBytes: number;
  /** The blocks after the index's tip. */
  readonly feed: BlockFeed;
  readonly progress: SyncProgress;
  /** Ends the sync after the writes in flight. */
  readonly signal: AbortSignal;
  /** Ends the sync without waiting for the writes in flight; `signal` is then aborted, too. */
  readonly stop: AbortSignal;
  /** Called with the seconds for which PostgreSQL has delayed a write. */
  onStall(seconds: number): void;
}

/**
 * Indexes the blocks of the feed. It may be stopped at any time, because each transaction commits blocks with their
 * tip.
 */
export async function bulkSync(context: BulkContext): Promise<void> {
  const { applier, feed, progress, status, signal, stop } = context;
  if (signal.aborted) await feed.close();
  signal.throwIfAborted();
  const writer = new BatchWriter(context.postgres, context.onStall);
  const transactions = new BulkCommits(writer, status, context.transactionBytes, context.bootstrap);
  const endFeed = (): void => void feed.close();
  const breakOff = (): void => void writer.close();
  signal.addEventListener('abort', endFeed, { once: true });
  stop.addEventListener('abort', breakOff, { once: true });
  try {
    let batch = await prepare(context, await feed.next());
    while (batch !== null) {
      signal.throwIfAborted();
      const { prepared } = batch;
      const upcoming = feed.next();
      // If the next batch has arrived, its rows are read while this one is applied, unless the cache must shrink in
      // between.
      const arrived = applier.isFull ? NOT_ARRIVED : await ifArrived(upcoming);
      const early = arrived === NOT_ARRIVED ? null : prepare(context, arrived, prepared);
      early?.catch(() => {});
      // The node's chain may be shorter now than when the feed began.
      const end = Math.min(feed.to, await batch.bestHeight);
      const applied = prepared.apply({ undoAbove: end - UNDO_DEPTH, history: transactions.history });
      await batch.confirmed;
      const next = await upcoming;
      await transactions.add(applied, prepared.blocks, { isLast: next === null });
      progress.report(applier.chain);
      batch = await (early ?? prepare(context, next));
    }
    await transactions.settle();
  } catch (error) {
    // An aborted sync ends the feed, so its error would hide the reason of the abort.
    signal.throwIfAborted();
    throw error;
  } finally {
    // Also after a failure: the next session must not read the tip before the last commit.
    await transactions.settle().catch(() => {});
    signal.removeEventListener('abort', endFeed);
    stop.removeEventListener('abort', breakOff);
    await feed.close();
    await writer.close();
  }
}

const NOT_ARRIVED = Symbol('not arrived');

/** Returns the batch if its blocks have arrived, so that at most their decoding is waited for. */
function ifArrived<T>(promise: Promise<T>): Promise<T | typeof NOT_ARRIVED> {
  return Promise.race([promise, nextTurn(NOT_ARRIVED)]);
}

interface PreparedBatch {
  readonly prepared: PreparedBlocks;
  /** Settles when the node confirms that the batch ends with a block of its chain. */
  readonly confirmed: Promise<void>;
  /** The height that the node's chain had at least when the batch had arrived. */
  readonly bestHeight: Promise<number>;
}

/**
 * Reads the rows that the blocks touch, and lets the node confirm the last block. Returns null if there are no blocks.
 * `previous`: the prepared blocks before these, if they are not applied yet.
 */
async function prepare(
  { session, applier, node, status, signal }: BulkContext,
  blocks: readonly IdentifiedBlock[] | null,
  previous?: PreparedBlocks,
): Promise<PreparedBatch | null> {
  const last = blocks?.at(-1);
  if (!blocks || !last) return null;
  const height = (previous?.lastHeight ?? applier.chain.height) + blocks.length;
  const unconfirmed = new LastingCondition(node.logger, {
    holds: 'the node does not confirm its blocks, asking again',
    ended: 'the node confirms its blocks again',
  });
  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    const answer = await retryUntilAnswered(signal, request, (error) => {
      status.failed(error);
      unconfirmed.holds({ error: String(error), height });
    });
    unconfirmed.ended();
    return answer;
  };
  const confirmed = ask(() => assertOnMainChain(node, height, last.id, signal));
  const info = ask(() => withThreeAttempts(signal, (options) => node.chainInfo(options)));
  const bestHeight = info.then(async ({ bestBlock }) => {
    status.nodeAnswered(bestBlock.height);
    const hasMore = await ask(() => hasBlocksAbove(node, height, bestBlock.height, signal));
    return hasMore ? bestBlock.height : height;
  });
  for (const request of [confirmed, bestHeight]) request.catch(() => {});
  const prepared = previous?.prepareNext(session.reader, blocks) ?? applier.prepare(session.reader, blocks);
  return { prepared: await prepared, confirmed, bestHeight };
}

/**
 * Does the node really have the next blocks, up to {@link UNDO_DEPTH} of them? It may claim a higher `best` than it has: the
 * newest blocks would be without undo records, and the next reorganisation could not be followed.
 */
async function hasBlocksAbove(node: NodeClient, height: number, best: number, signal: AbortSignal): Promise<boolean> {
  const highest = Math.min(best, height + UNDO_DEPTH);
  if (highest <= height) return false;
  return (await withThreeAttempts(signal, (options) => node.blockIdAtHeight(highest, options))) !== null;
}
