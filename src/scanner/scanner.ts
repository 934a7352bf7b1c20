/** The scanner: writes the node's chain to the database until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Network } from '../chain/networks/network.ts';
import { LastingCondition } from '../errors/lasting-condition.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { jitteredBackoffPause } from '../errors/retry.ts';
import { noMissingKeys } from '../ledger/collect-keys.ts';
import type { ChainTip } from '../ledger/state.ts';
import { NodeClient, type NodeClientOptions } from '../node/client.ts';
import { NodeInUse } from '../node/node-in-use.ts';
import { NodeSelection } from '../node/node-selection.ts';
import type { PostgresOptions } from '../store/postgres/connect.ts';
import {
  PostgresSilentError,
  PostgresUnreachableError,
  postgresErrorToThrow,
} from '../store/postgres/postgres-error.ts';
import { requireOwnOrEmptyDatabase } from '../store/schema/database-identity.ts';
import type { InPlaceMigration } from '../store/schema/in-place-migrations.ts';
import { WriterSession } from '../store/write/writer-session.ts';
import { DatabaseState } from './database/database-state.ts';
import { BlockFeeds, FeedError, type FeedListener } from './fetch/block-feed.ts';
import { NodeChain } from './fetch/node-chain.ts';
import { SyncProgress } from './monitor/progress.ts';
import { ScannerStatus } from './monitor/status.ts';
import type { ScannerErrorKind, ScannerPhase } from './monitor/status-report.ts';
import { AMPLE_MEMORY_BYTES, cacheBytesOf, indexBuildMegabytes, transactionBytesOf } from './scanner-memory.ts';
import { BatchApplier } from './sync/apply-batches.ts';
import { BULK_SYNC_DISTANCE } from './sync/bulk-sync.ts';
import { SyncLoop } from './sync/sync-loop.ts';

/** The time that the running transaction has after `stop`. Then its connection is destroyed, and it is rolled back. */
const STOP_MS = 3_000;
interface ScannerOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  /** Drop the index and build it again? This happens once, however often the scanner is restarted with the option. */
  readonly resync: boolean;
  readonly logger: Logger;
  /** Show the progress of a sync as an updated line? */
  readonly terminal: boolean;
  /** The scanner's memory in bytes (default `AMPLE_MEMORY_BYTES`). */
  readonly maxMemory?: number | undefined;
  /** The distance from the node's tip above which blocks are synced in bulk (default `BULK_SYNC_DISTANCE`). */
  readonly bulkDistance?: number;
  /** What is added to an older index in place (default `IN_PLACE_MIGRATIONS`). */
  readonly migrations?: readonly InPlaceMigration[];
  /** Records the scanner's activity, for monitoring. */
  readonly status?: ScannerStatus;
  /** Called whenever the index is complete and at the node's tip. */
  onAtTip?(tip: Pick<ChainTip, 'height' | 'blockId'>): void;
}

export interface Scanner {
  /**
   * Settles when the scanner has ended: resolves after `stop`, rejects with an OperatorError if the operator must act.
   */
  readonly done: Promise<void>;
  /** Ends after the running transaction. The next start continues from the last commit. */
  stop(): Promise<void>;
}

/**
 * Starts to follow the node. While the database or the node is unavailable, the scanner retries with growing pauses.
 * `done` rejects with an OperatorError if the scanner cannot work as configured.
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
  /** Null with a single node. */
  readonly #selection: NodeSelection | null;
  readonly #chain: NodeChain;
  readonly #feeds: BlockFeeds;
  readonly #progress: SyncProgress;
  readonly #bulkDistance: number;
  readonly #maxMemory: number;
  readonly #syncLoop: SyncLoop;
  readonly #databaseAway: LastingCondition;
  readonly #noBlocks: LastingCondition;
  /** Kept from session to session, so that a block that needs them is not tried in vain for ever. */
  readonly #unread = noMissingKeys();
  #resync: boolean;
  #hadLock = false;
  /** Did this process write blocks? */
  #hasWritten = false;
  /** Was the node of our network once? */
  #hadNode = false;
  /** The tip at the end of the previous session. */
  #lastTip = '';

  constructor(options: ScannerOptions, signal: AbortSignal) {
    const { logger, onAtTip } = options;
    this.#options = options;
    this.#databaseAway = new LastingCondition(logger, {
      holds: 'waiting for PostgreSQL',
      ended: 'PostgreSQL can be used again',
    });
    this.#noBlocks = new LastingCondition(logger, {
      holds: 'the node does not give its blocks, asking again',
      ended: 'the node gives its blocks again',
    });
    this.#signal = signal;
    this.#resync = options.resync;
    this.#status = options.status ?? new ScannerStatus();
    this.#status.note({ network: options.network.name });
    this.#maxMemory = options.maxMemory ?? AMPLE_MEMORY_BYTES;
    this.#bulkDistance = options.bulkDistance ?? BULK_SYNC_DISTANCE;
    const inUse = new NodeInUse();
    const node = { ...options.node, inUse, logger, network: options.network };
    this.#feeds = new BlockFeeds(node, this.#feedListener());
    this.#node = new NodeClient(node);
    this.#node.logProblems(logger);
    this.#status.note({ nodes: this.#node.usage });
    this.#node.onChange(() => this.#status.note({ nodes: this.#node.usage }));
    this.#selection = node.others
      ? new NodeSelection({
          node,
          indexHeight: () => this.#status.report.tip?.height ?? null,
          logger,
        })
      : null;
    this.#chain = new NodeChain(this.#node, this.#status, logger, signal);
    this.#progress = new SyncProgress({
      logger,
      terminal: options.terminal && process.stderr.isTTY ? process.stderr : null,
    });
    this.#syncLoop = new SyncLoop({
      node: this.#node,
      chain: this.#chain,
      feeds: this.#feeds,
      progress: this.#progress,
      status: this.#status,
      logger,
      bulkDistance: this.#bulkDistance,
      transactionBytes: transactionBytesOf(this.#maxMemory),
      buildMegabytes: indexBuildMegabytes(this.#maxMemory),
      signal,
      onAtTip: onAtTip?.bind(options),
      onStall: this.#onStall,
    });
  }

  /** Runs until stopped. After a temporary failure it starts again from the last commit. */
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
          const error = postgresErrorToThrow(thrown, this.#options.postgres);
          // What PostgreSQL refuses a running scanner may be allowed again: a privilege, for example.
          const mayPass = this.#hasWritten && error !== thrown;
          if (error instanceof OperatorError && !mayPass) throw error;
          failures = this.#lastTip === tipBefore ? failures + 1 : 1;
          this.#status.enter(PHASE_AFTER[this.#status.failed(error)]);
          const pauseMs = Math.round(jitteredBackoffPause(failures));
          if (
            error instanceof PostgresUnreachableError ||
            error instanceof PostgresSilentError ||
            error instanceof OperatorError
          ) {
            this.#noteDatabaseAway(error);
          } else {
            logger.error(
              { err: error, pauseMs },
              'indexing stopped; nothing half-written is kept, trying again from the committed tip',
            );
          }
          await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
        }
      }
    } finally {
      this.#progress.end();
      await this.#feeds.endSpareThread();
      await this.#syncLoop.close();
      this.#selection?.close();
      this.#node.close();
    }
  }

  async #runSession(): Promise<void> {
    const { postgres, logger, network } = this.#options;
    this.#status.enter('waiting_for_database');
    const session = await WriterSession.open(postgres, {
      onLost: (error) => {
        // A stop closes connections itself.
        if (this.#signal.aborted) return;
        this.#noteDatabaseAway(postgresErrorToThrow(error, postgres) as Error);
      },
      onStall: this.#onStall,
      onLockHeld: async (text, writer) => {
        // The scanner of another release: this one could not work there either when it is gone.
        if (!this.#resync && !this.#hadLock) await requireOwnOrEmptyDatabase(writer, network);
        logger.warn(`${text}; waiting for a moment, in case it is gone already`);
      },
      isReconnect: this.#hadLock,
      signal: this.#signal,
    });
    this.#hadLock = true;
    this.#databaseAway.ended();
    const { host, port } = session.postgres;
    if (postgres.others) logger.info({ host, port }, 'this PostgreSQL can be written to');
    const stop = (): void => void setTimeout(() => session.abandon(), STOP_MS).unref();
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      const applier = new BatchApplier(network, { cacheBytes: cacheBytesOf(this.#maxMemory), unread: this.#unread });
      this.#status.enter('waiting_for_node');
      await this.#chain.checkNetwork(await this.#mayBeMisconfigured(session));
      this.#hadNode = true;
      this.#status.enter('waiting_for_database');
      const database = await this.#openIndex(session, applier);
      await session.prepare();
      logger.info({ height: applier.chain.height, block: applier.chain.blockId }, 'the index is open');
      const { blockId: openedAt } = applier.chain;
      try {
        await this.#syncLoop.run({ session, applier, database });
      } finally {
        this.#lastTip = applier.chain.blockId;
        if (this.#lastTip !== openedAt) this.#hasWritten = true;
      }
    } finally {
      this.#signal.removeEventListener('abort', stop);
      await this.#feeds.drop();
      await session.close();
    }
  }

  /**
   * Does a node of another network mean that the options are wrong? Not if the node was right before, also for the program that
   * began the index. With several nodes another one may be right. Throws an OperatorError for a database that cannot be used.
   */
  async #mayBeMisconfigured(session: WriterSession): Promise<boolean> {
    const isEmpty = await DatabaseState.isEmpty(session, this.#options.network, this.#options);
    return (this.#resync || isEmpty) && !this.#hadNode && this.#selection === null;
  }

  /** Another reason than before, such as a database that is gone, is logged at once. */
  #noteDatabaseAway({ message: reason }: Error): void {
    this.#databaseAway.holds({ reason }, reason);
  }

  readonly #onStall = (what: string, seconds: number): void => {
    // The step that waits names the phase again when it has succeeded.
    const { phase } = this.#status.report;
    if (phase === 'following' || phase === 'reorganising' || phase === 'waiting_for_node')
      this.#status.enter('waiting_for_database');
    this.#options.logger.warn(
      { what, seconds },
      'PostgreSQL keeps us waiting: is a table locked by somebody else, or the server overloaded?',
    );
  };

  /** Opens the index. If there is none, a new one begins; for a bulk sync, its first blocks are fetched at once. */
  async #openIndex(session: WriterSession, applier: BatchApplier): Promise<DatabaseState> {
    const { network, logger } = this.#options;
    if (this.#resync && !(await DatabaseState.isEmpty(session, network, this.#options)))
      await DatabaseState.drop(session, logger);
    this.#resync = false;
    const database = await DatabaseState.open(session, applier, this.#options);
    if (!database.isNew) {
      this.#status.opened(applier.chain);
      this.#status.enter('waiting_for_node');
      return database;
    }
    logger.info({ network: network.name }, 'the database is empty, creating the index');
    this.#status.enter('waiting_for_node');
    const best = await this.#chain.bestHeight();
    this.#status.enter('creating');
    if (best > this.#bulkDistance) this.#feeds.begin(applier.chain, best);
    return database;
  }

  /** Returns what the threads that fetch blocks tell. They retry by themselves; each retry is recorded. */
  #feedListener(): FeedListener {
    const { logger } = this.#options;
    return {
      debug: (fields, message) => logger.debug(fields, message),
      info: (fields, message) => logger.info(fields, message),
      warn: (fields, message) => {
        const { error } = fields as { error?: string };
        this.#status.failed(new FeedError(error === undefined ? message : `${message}: ${error}`));
        this.#noBlocks.holds(fields);
      },
      arrived: () => this.#noBlocks.ended(),
    };
  }
}

/** The phase that follows a failure, by the cause of the failure. */
const PHASE_AFTER: Readonly<Record<ScannerErrorKind, ScannerPhase>> = {
  node: 'waiting_for_node',
  database: 'waiting_for_database',
  ledger: 'pausing',
  other: 'pausing',
};
