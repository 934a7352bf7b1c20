/** Follows the node's chain into the database, for ever. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../config/operator-error.ts';
import type { ChainTip } from '../ledger/state.ts';
import { type CallOptions, NodeClient, type NodeClientOptions } from '../node/client.ts';
import { NodeError } from '../node/error.ts';
import { pause, pauseAfter } from '../node/retry.ts';
import { TipEvents } from '../node/tip-events.ts';
import { explainPostgresError, type PostgresOptions } from '../store/connect.ts';
import { buildIndexes } from '../store/indexes.ts';
import { dropTables, keyStatements, recogniseDatabase } from '../store/schema.ts';
import { StoreSession } from '../store/session.ts';
import { markReady, readChainAt, readTip } from '../store/tip.ts';
import { UNDO_DEPTH } from '../store/undo.ts';
import { askUntilAnswered } from './ask.ts';
import { ChainMovedError, DamagedBlockError } from './blocks.ts';
import { bulk } from './bulk.ts';
import { createIndex, type IndexCreation, prepareCreation } from './create-index.ts';
import { BlockFeed, startFeedThread } from './feed.ts';
import { type FollowContext, follow, type Step } from './follow.ts';
import { Indexer } from './indexer.ts';
import { Progress } from './progress.ts';

/** How long the transaction under way may take when the scanner is told to stop; then it is broken off, rolled back. */
const STOP_MS = 3_000;
/**
 * How long to wait for the writer's lock: at the start a moment, in case a predecessor was killed just now; later for
 * as long as a server may need to notice that our own broken connection is gone.
 */
const FIRST_LOCK_WAIT_MS = 3_000;
const LOCK_WAIT_MS = 120_000;
/** Failures of the node in a row, after which nothing cached is trusted any more. */
const FAILURES_IN_A_ROW = 8;
/** Indexes built at the same time at the end of a bulk sync. */
const INDEX_CONNECTIONS = 2;

export interface ScannerOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  /** Drop the index and build it anew. */
  readonly resync: boolean;
  readonly logger: Logger;
  /** Show the progress of a sync as a moving line. */
  readonly terminal: boolean;
  /** Farther than this from the node's tip, blocks are taken in bulk (default 1,000 blocks). */
  readonly bulkDistance?: number;
}

export interface Scanner {
  /** Settles when the scanner has ended: resolved after `stop`, rejected with an OperatorError that needs the operator. */
  readonly done: Promise<void>;
  /** Ends after the transaction under way; what is committed stays, and the next start goes on from there. */
  stop(): Promise<void>;
}

/**
 * Starts to follow the node. The database and the node may come and go: the scanner waits for them with growing pauses.
 * Throws an OperatorError when it cannot start as it was told to.
 */
export async function startScanner(options: ScannerOptions): Promise<Scanner> {
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
  readonly #nodeOptions: NodeClientOptions;
  readonly #node: NodeClient;
  readonly #events: TipEvents;
  readonly #progress: Progress;
  readonly #bulkDistance: number;
  #resync: boolean;
  /** Started ahead of the first bulk sync, whether there will be one or not. */
  #spareThread: Worker | null;
  /** Of the first blocks, begun while the index is being created. */
  #firstFeed: BlockFeed | null = null;
  #hadLock = false;
  #nodeFailures = 0;
  /** Where the session before this one ended. */
  #lastTip = '';

  constructor(options: ScannerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#resync = options.resync;
    this.#bulkDistance = options.bulkDistance ?? UNDO_DEPTH;
    this.#nodeOptions = { ...options.node, logger: options.logger };
    this.#spareThread = startFeedThread(this.#nodeOptions);
    this.#node = new NodeClient(this.#nodeOptions);
    this.#events = new TipEvents(this.#node);
    this.#progress = new Progress({
      logger: options.logger,
      terminal: options.terminal && process.stderr.isTTY ? process.stderr : null,
    });
  }

  /** Works until stopped; after any passing failure it starts over from what is committed. */
  async run(): Promise<void> {
    const { logger } = this.#options;
    let failures = 0;
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
      await this.#endSpareThread();
      await this.#events.close();
      this.#node.close();
    }
  }

  async #runSession(): Promise<void> {
    const { postgres, logger, network } = this.#options;
    const session = await StoreSession.open(postgres, {
      onLost: (error) => logger.warn({ err: error }, 'a database connection broke'),
      onSilence: this.#onSilence,
      lockWaitMs: this.#hadLock ? LOCK_WAIT_MS : FIRST_LOCK_WAIT_MS,
      signal: this.#signal,
    });
    this.#hadLock = true;
    const stop = (): void => void setTimeout(() => session.abandon(), STOP_MS).unref();
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      const indexer = new Indexer(network);
      await this.#checkGenesis();
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
      await this.#firstFeed?.close();
      this.#firstFeed = null;
      await session.close();
    }
  }

  readonly #onSilence = (what: string, seconds: number): void => {
    this.#options.logger.warn(
      { what, seconds },
      'PostgreSQL keeps us waiting: is a table locked by somebody else, or the server overloaded?',
    );
  };

  async #sync(session: StoreSession, indexer: Indexer, index: OpenIndex): Promise<void> {
    const { logger, postgres } = this.#options;
    const signal = this.#signal;
    const following: FollowContext = { session, indexer, node: this.#node, logger, signal };
    const stopOrLost = AbortSignal.any([signal, session.lost]);
    let { creation, isReady } = index;
    for (;;) {
      const best = await this.#bestHeight();
      if (best - indexer.chain.height > this.#bulkDistance) {
        if (creation === null && !isReady) await this.#makeKeys(session);
        // While it was away our tip may have left the node's chain; following knows the way back.
        if (creation === null && !(await this.#isOnNodesChain(indexer))) {
          await this.#step(following);
          continue;
        }
        this.#progress.begin('bulk sync', indexer.chain, best);
        await bulk({
          session,
          creation,
          postgres,
          indexer,
          node: this.#node,
          feed: this.#feedFrom(indexer.chain, best),
          progress: this.#progress,
          signal,
          onSilence: (seconds) => this.#onSilence('writing in bulk', seconds),
        });
        this.#progress.end();
        // Unless the node had no block any more.
        if (indexer.chain.height > 0) creation = null;
        continue;
      }
      if (creation !== null) await createIndex(session, indexer, creation);
      else if (!isReady) await this.#makeReady(session);
      creation = null;
      isReady = true;
      await this.#endSpareThread();
      let step = await this.#step(following);
      while (step !== 'far') {
        signal.throwIfAborted();
        if (step === 'idle') await this.#events.next(stopOrLost);
        step = await this.#step(following);
      }
    }
  }

  /** One step of following. The node's failures, which concern nothing that is stored, are waited out here. */
  async #step(context: FollowContext): Promise<Step> {
    try {
      const step = await follow(context);
      this.#nodeFailures = 0;
      return step;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!isOfNode(error) || ++this.#nodeFailures >= FAILURES_IN_A_ROW) {
        this.#nodeFailures = 0;
        throw error;
      }
      const pauseMs = Math.round(pauseAfter(this.#nodeFailures));
      const level = error instanceof DamagedBlockError ? 'error' : 'warn';
      this.#options.logger[level](
        { error: error.message, pauseMs },
        'what the node answers cannot be indexed; nothing was changed, asking again',
      );
      await pause(pauseMs, this.#signal);
      return 'moved';
    }
  }

  /** The node's blocks above a tip: those that are on their way already, or what is fetched from now on. */
  #feedFrom({ height, blockId }: Pick<ChainTip, 'height' | 'blockId'>, best: number): BlockFeed {
    const begun = this.#firstFeed;
    this.#firstFeed = null;
    if (begun?.parent === blockId) return begun;
    void begun?.close();
    const thread = this.#spareThread ?? startFeedThread(this.#nodeOptions);
    this.#spareThread = null;
    return new BlockFeed({ thread, node: this.#nodeOptions, from: height + 1, parent: blockId, to: best });
  }

  async #endSpareThread(): Promise<void> {
    await this.#spareThread?.terminate();
    this.#spareThread = null;
  }

  async #isOnNodesChain({ chain }: Indexer): Promise<boolean> {
    const theirs = await this.#askNode((options) => this.#node.blockIdAtHeight(chain.height, options));
    return theirs === chain.blockId;
  }

  async #bestHeight(): Promise<number> {
    const info = await this.#askNode((options) => this.#node.chainInfo(options));
    return info.bestBlock.height;
  }

  /** Waits for a node that is away. */
  #askNode<T>(call: (options: CallOptions) => Promise<T>): Promise<T> {
    const { logger } = this.#options;
    return askUntilAnswered(this.#signal, call, (error, attempt, pauseMs) =>
      logger.warn({ err: error, attempt, pauseMs: Math.round(pauseMs) }, 'the node does not answer, waiting for it'),
    );
  }

  async #checkGenesis(): Promise<void> {
    const { network } = this.#options;
    const theirs = await this.#askNode((options) => this.#node.blockIdAtHeight(0, options));
    if (theirs === network.genesisId) return;
    throw new OperatorError(
      `the node at ${this.#options.node.address} follows another chain: its genesis is ${theirs}, that of ` +
        `${network.name} is ${network.genesisId}. Check --network and --node-rpc-address.`,
    );
  }

  /** The index of this network in the database; in an empty one, a new index is prepared. */
  async #openIndex(session: StoreSession, indexer: Indexer): Promise<OpenIndex> {
    const { network, logger } = this.#options;
    const { writer } = session;
    const identity = { network: network.name, genesisId: network.genesisId };
    if (this.#resync) {
      logger.warn('dropping the index to build it anew, as --resync says');
      await dropTables(writer);
      this.#resync = false;
    }
    if ((await recogniseDatabase(writer, identity)) === 'ours') {
      const tip = await readTip(writer);
      indexer.resumeAt(await readChainAt(writer, tip.height));
      return { creation: null, isReady: tip.isReady };
    }
    logger.info({ network: network.name }, 'the database is empty, creating the index');
    const best = await this.#bestHeight();
    if (best > this.#bulkDistance) this.#firstFeed = this.#feedFrom({ height: 0, blockId: network.genesisId }, best);
    return { creation: await prepareCreation(indexer), isReady: false };
  }

  /** What the ledger reads by, where the last bulk sync ended before it was made. */
  async #makeKeys({ writer }: StoreSession): Promise<void> {
    for (const statement of await keyStatements()) await writer.query(statement);
  }

  /** The end of a bulk sync: the indexes for reading, and the planner's statistics. */
  async #makeReady(session: StoreSession): Promise<void> {
    const { postgres } = this.#options;
    this.#progress.phase('building indexes');
    await buildIndexes({
      client: session.writer,
      postgres,
      connections: INDEX_CONNECTIONS,
      signal: this.#signal,
      onSilence: (seconds) => this.#onSilence('building an index', seconds),
      onBuilt: (built, all) => this.#progress.phase(`built index ${built} of ${all}`),
    });
    await markReady(session.writer);
    this.#progress.phase('ready');
  }
}

/** The index that a session goes on with. */
interface OpenIndex {
  /** Of an index that is not there yet: what its first transaction does. */
  readonly creation: IndexCreation | null;
  /** Are the indexes for reading there? */
  readonly isReady: boolean;
}

/** Is it something that another answer of the node may mend? */
function isOfNode(error: unknown): error is Error {
  return error instanceof NodeError || error instanceof ChainMovedError || error instanceof DamagedBlockError;
}
