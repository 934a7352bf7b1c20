/** Pending transactions from a node's mempool, kept in step with the index. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../../chain/networks/network.ts';
import { bytesFromHex } from '../../chain/scale/hex.ts';
import type { Hex, Id } from '../../chain/types.ts';
import {
  type MempoolListener,
  MempoolMirror,
  type MirrorOptions,
  type PendingLookupResult,
} from '../../mempool/mirror.ts';
import { mirroredNode } from '../../mempool/mirrored-node-interface.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import { NodeClient, type NodeClientOptions } from '../../node/client.ts';
import type { SiblingWorkers } from '../../processes/sibling-workers.ts';
import { unavailable } from '../../serving/errors/causes-of-503.ts';
import { type ApiLogger, ThrottledLog } from '../../serving/logging/throttled-log.ts';
import type { ReadPool } from '../../serving/resources/read-pool.ts';
import { readBlocksSince } from '../../store/queries/blocks/blocks-since.ts';
import { readPendingReferences } from '../../store/queries/transactions/pending-references.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { PendingTransactions } from './pending-transactions-interface.ts';

/** The pause after a failure of the database. */
const PAUSE_MS = 250;
/** The longest wait for the first read of the index, which must come before inputs are resolved. */
const MAX_START_MS = 2_000;
/** The longest delay of the response to a submission, until all processes know the transaction. */
const MAX_NOTICE_MS = 1_000;
const SUBMITTED = 'submitted';
const ID_CHARACTERS = 64;
/** The largest response that is read; a node sends at most 10 MiB. */
const MAX_RESPONSE_BYTES = 11 * 1024 * 1024;

interface NodePendingOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly store: ReadPool;
  readonly logger: ApiLogger;
  /** The other workers, when this process is one of several. */
  readonly siblings: SiblingWorkers | undefined;
  /** Options of the mirror, for tests. */
  readonly mirror?: Partial<MirrorOptions>;
}

/**
 * Follows the mempool over two connections to the node, however many clients there are: one for requests, one for
 * events.
 */
export class NodePendingTransactions implements PendingTransactions {
  readonly #client: NodeClient;
  readonly #mirror: MempoolMirror;
  readonly #store: ReadPool;
  readonly #log: ThrottledLog;
  readonly #revisions = new RevisionTracker();
  readonly #siblings: SiblingWorkers | undefined;
  readonly #closing = new AbortController();
  /** The tip of the index that was reported last to this object, and the one that the mirror knows. */
  #wanted: SnapshotTip | null = null;
  #known: SnapshotTip | null = null;
  /** Resolves at the first read of the index. */
  readonly #hasBegun = Promise.withResolvers<void>();
  #isIndexReady = false;
  #isFollowing = false;
  #following: Promise<void> = Promise.resolve();

  constructor({ network, node, store, logger, siblings, mirror = {} }: NodePendingOptions) {
    this.#client = new NodeClient({ ...node, maxConnections: 1, maxResponseBytes: MAX_RESPONSE_BYTES });
    this.#store = store;
    this.#log = new ThrottledLog(logger);
    const begin = async () => {
      if (!this.#isIndexReady) await Promise.race([this.#hasBegun.promise, pause(MAX_START_MS, this.#closing.signal)]);
    };
    this.#mirror = new MempoolMirror({
      network,
      source: mirroredNode(this.#client),
      begin,
      index: {
        read: async (asked) => {
          // If the indexes for reading are missing, each query would scan whole tables.
          await begin();
          // That the database is away is logged by those who watch its tip.
          return this.#isIndexReady ? await readPendingReferences(store, asked).catch(nullIfAway) : null;
        },
      },
      logger,
      ...mirror,
    });
    this.#siblings = siblings;
    siblings?.onQuestion(SUBMITTED, async (idAndHex) => {
      await this.#take(idAndHex.slice(ID_CHARACTERS), idAndHex.slice(0, ID_CHARACTERS));
      return '';
    });
  }

  get pool(): PendingSet {
    return this.#mirror.pool;
  }

  get revision(): number {
    return this.#revisions.revision;
  }

  get nodeProblem(): Error | null {
    return this.#client.connection.health.problem;
  }

  reached(revision: number): Promise<void> {
    return this.#revisions.reached(revision);
  }

  /** Reads the changes of the index since the last read, and reports them to the mirror. */
  indexMoved(tip: SnapshotTip | null): void {
    const wasReady = this.#isIndexReady;
    this.#isIndexReady = tip !== null;
    if (tip === null) return;
    this.#hasBegun.resolve();
    this.#wanted = tip;
    if (tip.revision === this.revision && wasReady) return;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#following = this.#follow();
  }

  async find(id: Id, client: string): Promise<PendingLookupResult> {
    // An outdated pending set cannot say anything.
    return this.pool.isAvailable ? await this.#mirror.find(id, client) : { state: 'Unavailable' };
  }

  async submitted(hex: Hex, id: Id): Promise<void> {
    await Promise.all([this.#take(hex, id), this.#siblings?.ask(SUBMITTED, id + hex)]);
  }

  listen(listener: MempoolListener): () => void {
    return this.#mirror.listen(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#mirror.close(), this.#following]);
    this.#client.close();
  }

  /** Adds a transaction that the node has accepted. */
  async #take(hex: Hex, id: Id): Promise<void> {
    const taken = this.#mirror.submitted(bytesFromHex(hex), id);
    const tooLate = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, tooLate.signal]);
    await Promise.race([taken, pause(MAX_NOTICE_MS, signal)]);
    tooLate.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted && this.#isIndexReady) {
      const wanted = this.#wanted!;
      try {
        // Nothing is known before the first tip, and a block of another database may be unknown.
        const read = this.#known === null ? null : await readBlocksSince(this.#store, this.#known);
        const move = read ?? { tip: wanted, commonHeight: 0, blocks: [] };
        this.#known = move.tip;
        this.#mirror.indexMoved(move);
        this.#revisions.reach(move.tip.revision);
        // The index may have moved on during the read.
        if (this.#wanted !== wanted && this.#wanted?.revision !== move.tip.revision) continue;
        // Set before anything else runs: the next call starts a new loop.
        this.#isFollowing = false;
        return;
      } catch (error) {
        // An error of the store is also met and logged by requests of clients.
        if (!(error instanceof StoreError)) this.#log.error('follow', error, 'The mempool could not follow the index.');
        await pause(PAUSE_MS, signal);
      }
    }
    this.#isFollowing = false;
  }
}

function nullIfAway(error: unknown): null {
  if (error instanceof StoreError && error.kind === 'unavailable') return null;
  throw error;
}

/** Resolves after this time, or when `signal` is aborted. */
const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

/** The longest wait for a revision. The pending set is notified within milliseconds after the index moves. */
const MAX_WAIT_MS = 2_000;

/** The index revision that a pending set knows, and the callers that wait for a later one. */
class RevisionTracker {
  readonly #waiting = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  #revision = -1;

  get revision(): number {
    return this.#revision;
  }

  /** Sets the revision. It may go back if the database was restored from a backup. */
  reach(revision: number): void {
    this.#revision = revision;
    for (const waiting of this.#waiting) {
      if (waiting.revision > revision) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  /** Resolves at this revision. Throws the error 503 if that takes too long. */
  async reached(revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { revision, resolve };
    this.#waiting.add(waiting);
    const tooLate = () => reject(unavailable('pending behind index'));
    const timer = setTimeout(tooLate, MAX_WAIT_MS);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    }
  }
}
