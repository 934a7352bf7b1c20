/** Brings an open index to the node's tip and keeps it there: by bulk sync far from the tip, by following near it. */
import type { Logger } from 'pino';
import { LastingCondition } from '../../errors/lasting-condition.ts';
import { jitteredBackoffPause, pause } from '../../errors/retry.ts';
import type { ChainTip } from '../../ledger/state.ts';
import type { NodeClient } from '../../node/client.ts';
import { NodeError } from '../../node/node-error.ts';
import { NodeTipEvents } from '../../node/tip-events.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { DatabaseState } from '../database/database-state.ts';
import { migrateInPlace } from '../database/migrate-in-place.ts';
import type { BlockFeeds } from '../fetch/block-feed.ts';
import type { NodeChain } from '../fetch/node-chain.ts';
import { ChainMovedError, DamagedBlockError, DeepForkError } from '../fetch/verify-blocks.ts';
import type { SyncProgress } from '../monitor/progress.ts';
import type { ScannerStatus } from '../monitor/status.ts';
import { returnFreeMemory } from '../scanner-memory.ts';
import type { BatchApplier } from './apply-batches.ts';
import { bulkSync } from './bulk-sync.ts';
import type { FollowContext } from './follow-context.ts';
import { type FollowResult, followTipOnce } from './follow-tip.ts';

/** The node's failures in a row after which the session ends. The next session starts with an empty cache. */
const MAX_NODE_FAILURES = 8;

interface SyncLoopOptions {
  readonly node: NodeClient;
  readonly chain: NodeChain;
  readonly feeds: BlockFeeds;
  readonly progress: SyncProgress;
  readonly status: ScannerStatus;
  readonly logger: Logger;
  /** The distance from the node's tip above which blocks are synced in bulk. */
  readonly bulkDistance: number;
  /** The bytes of blocks that a bulk sync commits together. */
  readonly transactionBytes: number;
  /** Memory in PostgreSQL for the sorting of one index build. */
  readonly buildMegabytes: number;
  /** Stops the scanner. */
  readonly signal: AbortSignal;
  /** Called whenever the index is complete and at the node's tip. */
  onAtTip?: ((tip: Pick<ChainTip, 'height' | 'blockId'>) => void) | undefined;
  /** Called while PostgreSQL keeps a statement waiting: its purpose, and the seconds so far. */
  onStall(what: string, seconds: number): void;
}

/** An index that is open in a session of the database. */
interface OpenIndex {
  readonly session: WriterSession;
  readonly applier: BatchApplier;
  readonly database: DatabaseState;
}

export class SyncLoop {
  readonly #options: SyncLoopOptions;
  /** The events of the node's tip; null until the tip is followed. */
  #events: NodeTipEvents | null = null;
  #nodeFailures = 0;
  readonly #nodeBehind: LastingCondition;

  constructor(options: SyncLoopOptions) {
    this.#options = options;
    this.#nodeBehind = new LastingCondition(options.logger, {
      holds: 'the node is behind the index, on the same chain: waiting for it',
      ended: 'the node has reached the index',
    });
  }

  /**
   * Runs until the scanner is stopped, the session is lost, or an error occurs that waiting for the node cannot solve.
   */
  async run(index: OpenIndex): Promise<never> {
    const { chain, bulkDistance, signal } = this.#options;
    const stopOrLost = AbortSignal.any([signal, index.session.lost]);
    const ended = new AbortController();
    let adding: Promise<void> | null = null;
    try {
      for (;;) {
        const best = await chain.bestHeight();
        if (best - index.applier.chain.height > bulkDistance) await this.#takeInBulk(index, best, stopOrLost);
        else {
          await this.#ensureReady(index);
          adding ??= this.#migrateInPlace(index, AbortSignal.any([stopOrLost, ended.signal]));
          await this.#follow(index, stopOrLost);
        }
      }
    } finally {
      ended.abort();
      await adding;
    }
  }

  #migrateInPlace({ session, database }: OpenIndex, signal: AbortSignal): Promise<void> {
    const { status, logger, buildMegabytes } = this.#options;
    return migrateInPlace({
      postgres: session.postgres,
      migrations: database.migrations,
      buildMegabytes,
      logger,
      signal,
      onProgress: (progress) => status.note({ adding: progress }),
    });
  }

  async close(): Promise<void> {
    await this.#events?.close();
  }

  async #takeInBulk(index: OpenIndex, best: number, signal: AbortSignal): Promise<void> {
    const { applier, database } = index;
    await database.ensureKeys();
    // While the scanner was stopped, the node's chain may have left our tip. Following handles that.
    if (database.isNew || (await this.#options.chain.has(applier.chain))) await this.#bulkSync(index, best, signal);
    else await this.#followOnce(index);
  }

  async #bulkSync({ session, applier, database }: OpenIndex, best: number, signal: AbortSignal): Promise<void> {
    const { node, feeds, progress, status, logger } = this.#options;
    const { height: before } = applier.chain;
    status.enter('bulk_sync');
    progress.begin('bulk sync', applier.chain, best);
    await bulkSync({
      session,
      bootstrap: database.bootstrap,
      postgres: session.postgres,
      transactionBytes: this.#options.transactionBytes,
      applier,
      node,
      feed: feeds.from(applier.chain, best),
      progress,
      status,
      logger,
      signal,
      stop: this.#options.signal,
      onStall: (seconds) => this.#options.onStall('writing in bulk', seconds),
    });
    database.markCreated();
    progress.end();
    if (applier.chain.height > before) {
      this.#nodeFailures = 0;
      return;
    }
    this.#nodeFailures++;
    status.failed(new ChainMovedError('the node says that it has more blocks, but gives none'));
    const message = 'the node says that it has more blocks, but gives none, asking again';
    await this.#pauseForNode('warn', { height: before, best }, message);
  }

  /** Makes the index ready for readers when it is near the tip. */
  async #ensureReady({ session, database, applier }: OpenIndex): Promise<void> {
    const { buildMegabytes, progress, status, signal, feeds, onStall } = this.#options;
    if (!database.isReady) status.enter(database.isNew ? 'creating' : 'building_indexes');
    if (!database.isReady && !database.isNew) {
      // Following needs few rows. Their memory is for the index build.
      applier.resumeAt(applier.chain);
      returnFreeMemory();
    }
    await database.ensureReady({ postgres: session.postgres, buildMegabytes, progress, signal, onStall });
    status.opened(applier.chain);
    await feeds.endSpareThread();
  }

  /** Follows the tip until the node may have more blocks than one step of following takes. */
  async #follow(index: OpenIndex, stopOrLost: AbortSignal): Promise<void> {
    const { signal, onAtTip } = this.#options;
    const { applier } = index;
    this.#events ??= this.#listen();
    let result = await this.#followOnce(index);
    while (result !== 'moreAvailable') {
      signal.throwIfAborted();
      if (result === 'upToDate') {
        onAtTip?.(applier.chain);
        await this.#events.next(applier.chain.blockId, stopOrLost);
      } else if (result === 'nodeBehind') {
        await this.#events.next(undefined, stopOrLost);
      }
      result = await this.#followOnce(index);
    }
  }

  /** Runs a step of following. Failures of the node do not affect the stored data, so it only pauses after them. */
  async #followOnce({ session, applier }: OpenIndex): Promise<FollowResult | 'failed'> {
    const { node, status, logger, signal } = this.#options;
    const context: FollowContext = { session, applier, node, status, logger, signal };
    try {
      const result = await followTipOnce(context);
      this.#nodeFailures = 0;
      if (result === 'nodeBehind') this.#nodeBehind.holds({ height: applier.chain.height });
      else this.#nodeBehind.ended();
      status.enter(result === 'nodeBehind' ? 'waiting_for_node' : 'following');
      status.succeeded();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (!isNodeFailure(error) || ++this.#nodeFailures >= MAX_NODE_FAILURES) {
        this.#nodeFailures = 0;
        throw error;
      }
      status.failed(error);
      const level = error instanceof DamagedBlockError || error instanceof DeepForkError ? 'error' : 'warn';
      const message = 'what the node answers cannot be indexed; nothing was changed, asking again';
      await this.#pauseForNode(level, { error: error.message }, message);
      return 'failed';
    }
  }

  /** Listens for tips of the node, and notes each as a response of the node. */
  #listen(): NodeTipEvents {
    const { node, status } = this.#options;
    return new NodeTipEvents(node, {
      onTip: ({ height }) => status.nodeAnswered(height),
      onFailure: (error) => {
        status.failed(error);
        if (status.report.phase === 'following') status.enter('waiting_for_node');
      },
    });
  }

  /** Logs the failure, and waits longer the more often the node has failed in a row. */
  async #pauseForNode(level: 'warn' | 'error', fields: object, message: string): Promise<void> {
    const { status, logger, signal } = this.#options;
    status.enter('waiting_for_node');
    const pauseMs = Math.round(jitteredBackoffPause(this.#nodeFailures));
    logger[level]({ ...fields, pauseMs }, message);
    await pause(pauseMs, signal);
  }
}

/** Can another response of the node solve this error? */
function isNodeFailure(error: unknown): error is Error {
  return error instanceof NodeError || error instanceof ChainMovedError || error instanceof DamagedBlockError;
}
