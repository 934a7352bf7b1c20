/** Follows the node's chain into the database, for ever. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { ChainTip } from '../ledger/state.ts';
import { NodeClient, type NodeClientOptions } from '../node/client.ts';
import type { NodeLogger } from '../node/logger.ts';
import { NodeError } from '../node/node-error.ts';
import { pause, pauseAfter } from '../node/retry.ts';
import { TipEvents } from '../node/tip-events.ts';
import { explainPostgresError, type PostgresOptions } from '../store/postgres/connect.ts';
import { UNDO_DEPTH } from '../store/write/undo-log.ts';
import { WriterSession } from '../store/write/writer-session.ts';
import { DatabaseState } from './database/database-state.ts';
import { FeedError } from './fetch/block-feed.ts';
import { BlockFeeds } from './fetch/block-feeds.ts';
import { NodeChain } from './fetch/node-chain.ts';
import { ChainMovedError, DamagedBlockError } from './fetch/verify-blocks.ts';
import { Progress } from './monitor/progress.ts';
import { ScannerStatus } from './monitor/status.ts';
import type { ErrorKind, Phase } from './monitor/status-report.ts';
import { bulkSync } from './sync/bulk-sync.ts';
import { type FollowContext, type FollowResult, followTip } from './sync/follow-tip.ts';
import { Indexer } from './sync/indexer.ts';

/** How long the transaction under way may take when the scanner is told to stop; then it is broken off, rolled back. */
const STOP_MS = 3_000;
/** How often it is said that the node is behind: it may be syncing itself, block by block. */
const BEHIND_MS = 60_000;
/** Failures of the node in a row, after which nothing cached is trusted any more. */
const FAILURES_IN_A_ROW = 8;

export interface ScannerOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  /** Drop the index and build it anew; once, however often the scanner is started so. */
  readonly resync: boolean;
  readonly logger: Logger;
  /** Show the progress of a sync as a moving line. */
  readonly terminal: boolean;
  /** Farther than this from the node's tip, blocks are taken in bulk (default 1,000 blocks). */
  readonly bulkDistance?: number;
  /** Told what the scanner does, for those who watch it. */
  readonly status?: ScannerStatus;
  /** Told whenever the index is complete and at the node's tip. */
  onAtTip?(tip: Pick<ChainTip, 'height' | 'blockId'>): void;
}

export interface Scanner {
  /** Settles when the scanner has ended: resolved after `stop`, rejected with an OperatorError that needs the operator. */
  readonly done: Promise<void>;
  /** Ends after the transaction under way; what is committed stays, and the next start goes on from there. */
  stop(): Promise<void>;
}

/**
 * Starts to follow the node. The database and the node may come and go: the scanner waits for them with growing pauses.
 * `done` is rejected with an OperatorError when it cannot work as it was told to.
 */
export function startScanner(options: ScannerOptions): Scanner {
  const stopping = new AbortController();
  const done = new ScannerRun(options, stopping.signal).run();
  done.catch(() => {});
  return {
    done,
    async stop() {
      stopping.abort();
      await done.catch(() => {});
    },
  };
}

class ScannerRun {
  readonly #options: ScannerOptions;
  readonly #signal: AbortSignal;
  readonly #status: ScannerStatus;
  readonly #node: NodeClient;
  readonly #chain: NodeChain;
  readonly #feeds: BlockFeeds;
  /** From when on the node's tip is followed. */
  #events: TipEvents | null = null;
  readonly #progress: Progress;
  readonly #bulkDistance: number;
  #resync: boolean;
  #hadLock = false;
  #nodeFailures = 0;
  #toldBehindAt = Number.NEGATIVE_INFINITY;
  /** Where the session before this one ended. */
  #lastTip = '';

  constructor(options: ScannerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#resync = options.resync;
    this.#status = options.status ?? new ScannerStatus();
    this.#bulkDistance = options.bulkDistance ?? UNDO_DEPTH;
    const node = { ...options.node, logger: options.logger };
    this.#feeds = new BlockFeeds(node, this.#feedLogger());
    this.#node = new NodeClient(node);
    this.#chain = new NodeChain(this.#node, this.#status, options.logger, signal);
    this.#progress = new Progress({
      logger: options.logger,
      terminal: options.terminal && process.stderr.isTTY ? process.stderr : null,
    });
  }

  /** Works until stopped; after any passing failure it starts over from what is committed. */
  async run(): Promise<void> {
    const { logger } = this.#options;
    let failures = 0;
    this.#signal.addEventListener('abort', () => this.#status.enter('stopping'), { once: true });
    try {
      while (!this.#signal.aborted) {
        const tipBefore = this.#lastTip;
        try {
          await this.#runSession();
        } catch (thrown) {
          if (this.#signal.aborted) return;
          const error = explainPostgresError(thrown, this.#options.postgres);
          if (error instanceof OperatorError) throw error;
          failures = this.#lastTip === tipBefore ? failures + 1 : 1;
          this.#status.enter(PHASE_AFTER[this.#status.failed(error)]);
          const pauseMs = Math.round(pauseAfter(failures));
          logger.error(
            { err: error, pauseMs },
            'indexing stopped; nothing half-written is kept, trying again from the committed tip',
          );
          await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
        }
      }
    } finally {
      this.#progress.end();
      await this.#feeds.endSpareThread();
      await this.#events?.close();
      this.#node.close();
    }
  }

  async #runSession(): Promise<void> {
    const { postgres, logger, network } = this.#options;
    this.#status.enter('waiting_for_database');
    const session = await WriterSession.open(postgres, {
      onLost: (error) => logger.warn({ err: error }, 'a database connection broke'),
      onSilence: this.#onSilence,
      onRival: (text) => logger.warn(`${text}; waiting for a moment, in case it is gone already`),
      returns: this.#hadLock,
      signal: this.#signal,
    });
    this.#hadLock = true;
    const stop = (): void => void setTimeout(() => session.abandon(), STOP_MS).unref();
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      const indexer = new Indexer(network);
      this.#status.enter('waiting_for_node');
      await this.#chain.checkGenesis(network);
      const index = await this.#openIndex(session, indexer);
      await session.prepare();
      logger.info({ height: indexer.chain.height, block: indexer.chain.blockId }, 'the index is open');
      try {
        await this.#sync(session, indexer, index);
      } finally {
        this.#lastTip = indexer.chain.blockId;
      }
    } finally {
      this.#signal.removeEventListener('abort', stop);
      await this.#feeds.drop();
      await session.close();
    }
  }

  readonly #onSilence = (what: string, seconds: number): void => {
    this.#options.logger.warn(
      { what, seconds },
      'PostgreSQL keeps us waiting: is a table locked by somebody else, or the server overloaded?',
    );
  };

  /** The index that is there, or a new one; of that, the first blocks are fetched at once. */
  async #openIndex(session: WriterSession, indexer: Indexer): Promise<DatabaseState> {
    const { network, logger, resync } = this.#options;
    if (this.#resync) await DatabaseState.drop(session, indexer, logger);
    this.#resync = false;
    const index = await DatabaseState.open(session, indexer, resync);
    if (!index.isNew) {
      this.#status.opened(indexer.chain);
      return index;
    }
    logger.info({ network: network.name }, 'the database is empty, creating the index');
    const best = await this.#chain.bestHeight();
    this.#status.enter('creating');
    if (best > this.#bulkDistance) this.#feeds.begin(indexer.chain, best);
    return index;
  }

  async #sync(session: WriterSession, indexer: Indexer, index: DatabaseState): Promise<void> {
    const { logger, postgres } = this.#options;
    const signal = this.#signal;
    const status = this.#status;
    const following: FollowContext = { session, indexer, node: this.#node, status, logger, signal };
    const stopOrLost = AbortSignal.any([signal, session.lost]);
    for (;;) {
      const best = await this.#chain.bestHeight();
      if (best - indexer.chain.height > this.#bulkDistance) {
        await index.makeKeys();
        // While it was away our tip may have left the node's chain; following knows the way back.
        if (index.isNew || (await this.#chain.has(indexer.chain)))
          await this.#bulk(session, indexer, index, best, stopOrLost);
        else await this.#step(following);
        continue;
      }
      if (!index.isReady) status.enter(index.isNew ? 'creating' : 'building_indexes');
      await index.makeReady({ postgres, progress: this.#progress, signal, onSilence: this.#onSilence });
      status.opened(indexer.chain);
      await this.#feeds.endSpareThread();
      this.#events ??= this.#listen();
      let step = await this.#step(following);
      while (step !== 'far') {
        signal.throwIfAborted();
        if (step === 'idle') this.#options.onAtTip?.(indexer.chain);
        if (step === 'behind') this.#tellBehind(indexer.chain);
        if (step === 'idle' || step === 'behind') await this.#events.next(stopOrLost);
        step = await this.#step(following);
      }
    }
  }

  /** Takes the blocks up to a height of the node's in bulk. */
  async #bulk(
    session: WriterSession,
    indexer: Indexer,
    index: DatabaseState,
    best: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { height: before } = indexer.chain;
    this.#status.enter('bulk_sync');
    this.#progress.begin('bulk sync', indexer.chain, best);
    await bulkSync({
      session,
      creation: index.creation,
      postgres: this.#options.postgres,
      indexer,
      node: this.#node,
      feed: this.#feeds.from(indexer.chain, best),
      progress: this.#progress,
      status: this.#status,
      signal,
      stop: this.#signal,
      onSilence: (seconds) => this.#onSilence('writing in bulk', seconds),
    });
    index.created();
    this.#progress.end();
    if (indexer.chain.height > before) {
      this.#nodeFailures = 0;
      return;
    }
    this.#nodeFailures++;
    this.#status.failed(new ChainMovedError('the node says that it has more blocks, but gives none'));
    const message = 'the node says that it has more blocks, but gives none, asking again';
    await this.#pauseForNode('warn', { height: before, best }, message);
  }

  /** One step of following. The node's failures, which concern nothing that is stored, are waited out here. */
  async #step(context: FollowContext): Promise<FollowResult> {
    try {
      const step = await followTip(context);
      this.#nodeFailures = 0;
      this.#status.enter(step === 'behind' ? 'waiting_for_node' : 'following');
      this.#status.succeeded();
      return step;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!isOfNode(error) || ++this.#nodeFailures >= FAILURES_IN_A_ROW) {
        this.#nodeFailures = 0;
        throw error;
      }
      this.#status.failed(error);
      const level = error instanceof DamagedBlockError ? 'error' : 'warn';
      const message = 'what the node answers cannot be indexed; nothing was changed, asking again';
      await this.#pauseForNode(level, { error: error.message }, message);
      return 'moved';
    }
  }

  /** Waits for tips of the node, and notes each as a sign that the node is there. */
  #listen(): TipEvents {
    const status = this.#status;
    return new TipEvents(this.#node, {
      onTip: ({ height }) => status.nodeAnswered(height),
      onFailure: (error) => {
        status.failed(error);
        if (status.report.phase === 'following') status.enter('waiting_for_node');
      },
    });
  }

  #tellBehind({ height }: ChainTip): void {
    if (performance.now() - this.#toldBehindAt < BEHIND_MS) return;
    this.#toldBehindAt = performance.now();
    this.#options.logger.warn({ height }, 'the node is behind the index, on the same chain: waiting for it');
  }

  /** Says why, and waits the longer the more often the node has failed in a row. */
  async #pauseForNode(level: 'warn' | 'error', fields: object, message: string): Promise<void> {
    this.#status.enter('waiting_for_node');
    const pauseMs = Math.round(pauseAfter(this.#nodeFailures));
    this.#options.logger[level]({ ...fields, pauseMs }, message);
    await pause(pauseMs, this.#signal);
  }

  /** The threads that fetch blocks ask again by themselves; that they had to is worth noting. */
  #feedLogger(): NodeLogger {
    const { logger } = this.#options;
    return {
      debug: (fields, message) => logger.debug(fields, message),
      info: (fields, message) => logger.info(fields, message),
      warn: (fields, message) => {
        const { error } = fields as { error?: string };
        this.#status.failed(new FeedError(error === undefined ? message : `${message}: ${error}`));
        logger.warn(fields, message);
      },
    };
  }
}

/** What is waited for after a failure, by who is to blame. */
const PHASE_AFTER: Readonly<Record<ErrorKind, Phase>> = {
  node: 'waiting_for_node',
  database: 'waiting_for_database',
  ledger: 'pausing',
  other: 'pausing',
};

/** Is it something that another answer of the node may mend? */
function isOfNode(error: unknown): error is Error {
  return error instanceof NodeError || error instanceof ChainMovedError || error instanceof DamagedBlockError;
}
