/**
 * Far from the tip: pages of blocks come in ahead, a batch is applied in memory while those before it are written.
 * Several batches make a transaction: what they did is copied as they come, what they changed is written once at the
 * end, so that a balance that changes in every block is one write. Only the newest blocks get undo records: nothing
 * deeper is ever undone.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdentifiedBlock } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { withRetry } from '../../node/retry.ts';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { AppendOnlyRows } from '../../store/write/append-only-tables.ts';
import { type BlockRecords, blockStatements, newStateSteps } from '../../store/write/block-batch.ts';
import { UNDO_DEPTH } from '../../store/write/undo-log.ts';
import type { WriteStatement } from '../../store/write/write-plan.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { DatabaseBootstrap } from '../database/bootstrap.ts';
import type { BlockFeed } from '../fetch/block-feed.ts';
import { withNodeRetry } from '../fetch/node-retry.ts';
import { assertOnMainChain } from '../fetch/verify-blocks.ts';
import type { Progress } from '../monitor/progress.ts';
import { type BlockCounts, countsOf, type ScannerStatus } from '../monitor/status.ts';
import { BatchWriter, type WriteRequest } from '../write/batch-writer.ts';
import type { Indexer, PreparedBlocks } from './indexer.ts';

/** A transaction ends with the batch that brings it to one of these; what changed stays in memory until then. */
const TRANSACTION_BYTES = 8 * 1024 * 1024;
const TRANSACTION_BLOCKS = 4_000;
/** Where the node is slow: what is redone after a crash, and what readers learn about the progress. */
const TRANSACTION_MS = 5_000;
/** Less than this waits for more, up to the transaction's end: a COPY of small rows costs PostgreSQL 4 ms to begin with. */
const COPY_BYTES = 1024 * 1024;
/** Batches on their way into the database: more would only fill memory. */
const WRITES_IN_FLIGHT = 3;

export interface BulkContext {
  readonly session: WriterSession;
  /** Of an index that is not there yet; blocks are applied while it is made. */
  readonly creation: DatabaseBootstrap | null;
  readonly postgres: PostgresOptions;
  readonly indexer: Indexer;
  readonly node: NodeClient;
  /** Of the blocks that follow the index's tip. */
  readonly feed: BlockFeed;
  readonly progress: Progress;
  readonly status: ScannerStatus;
  /** Ends the sync; what was sent to be written is waited for. */
  readonly signal: AbortSignal;
  /** Breaks that off as well; `signal` is aborted with it. */
  readonly stop: AbortSignal;
  /** Told while PostgreSQL keeps a write waiting; seconds. */
  onSilence(seconds: number): void;
}

/** Indexes what the feed gives. Blocks are committed with their tip, so it may be stopped anywhere. */
export async function bulkSync(context: BulkContext): Promise<void> {
  const { indexer, feed, progress, signal, stop } = context;
  if (signal.aborted) await feed.close();
  signal.throwIfAborted();
  const writer = new BatchWriter(context.postgres, context.onSilence);
  const writes = new Writes(writer, context);
  const endFeed = (): void => void feed.close();
  const breakOff = (): void => void writer.close();
  signal.addEventListener('abort', endFeed, { once: true });
  stop.addEventListener('abort', breakOff, { once: true });
  try {
    let current = await prepare(context, await feed.next(), []);
    while (current !== null) {
      signal.throwIfAborted();
      const next = feed.next();
      // What the next batch needs is read while this one is applied: if it is here already, and unless the cache has to
      // shrink in between.
      const here = indexer.isFull ? NOT_YET : await ifHere(next);
      const early = here === NOT_YET ? null : prepare(context, here, current.prepared.blocks);
      early?.catch(() => {});
      // The chain may have become shorter than it was when the feed began.
      const end = Math.min(feed.to, await current.bestHeight);
      const records = indexer.apply(current.prepared, end - UNDO_DEPTH, writes.history);
      await current.confirmed;
      const blocks = await next;
      await writes.add(records, current.prepared.blocks, { isLast: blocks === null });
      progress.report(indexer.chain);
      if (early === null) indexer.evict();
      current = await (early ?? prepare(context, blocks, []));
    }
    await writes.settle();
  } catch (error) {
    // That the feed ended is not the reason.
    signal.throwIfAborted();
    throw error;
  } finally {
    // Whatever failed: the next start must not read the tip before the last commit.
    await writes.settle().catch(() => {});
    signal.removeEventListener('abort', endFeed);
    stop.removeEventListener('abort', breakOff);
    await feed.close();
    await writer.close();
  }
}

const NOT_YET = Symbol('not yet');
const NO_BLOCKS: BlockCounts = { blocks: 0, transactions: 0 };

function sum(a: BlockCounts, b: BlockCounts): BlockCounts {
  return { blocks: a.blocks + b.blocks, transactions: a.transactions + b.transactions };
}

/** What a promise gives if nothing but decoding has to be waited for. */
function ifHere<T>(promise: Promise<T>): Promise<T | typeof NOT_YET> {
  return Promise.race([promise, nextTurn(NOT_YET)]);
}

/** The batches on their way into the database, several to a transaction. */
class Writes {
  /** Of the blocks of the transaction, as far as it was not sent. */
  readonly history = new AppendOnlyRows();
  readonly #writer: BatchWriter;
  readonly #indexer: Indexer;
  readonly #status: ScannerStatus;
  readonly #inFlight: Promise<void>[] = [];
  #bytes = 0;
  #counts: BlockCounts = NO_BLOCKS;
  #since = performance.now();
  /** Made at the end of the next transaction of blocks. */
  #keys: readonly WriteStatement[];

  constructor(writer: BatchWriter, { indexer, creation, status }: BulkContext) {
    this.#writer = writer;
    this.#indexer = indexer;
    this.#status = status;
    this.#keys = creation?.keys ?? [];
    if (creation !== null) this.#send({ steps: creation.begin, commits: true }, () => indexer.committed());
  }

  /** Sends what the batch that was just applied did; waits while too much is under way. */
  async add(records: BlockRecords, blocks: readonly IdentifiedBlock[], { isLast }: { isLast: boolean }): Promise<void> {
    for (const { size } of blocks) this.#bytes += size;
    this.#counts = sum(this.#counts, countsOf(blocks));
    const commits =
      isLast ||
      this.#bytes >= TRANSACTION_BYTES ||
      this.#counts.blocks >= TRANSACTION_BLOCKS ||
      performance.now() - this.#since >= TRANSACTION_MS;
    const steps = blockStatements(records, commits ? 0 : COPY_BYTES);
    while (this.#inFlight.length >= WRITES_IN_FLIGHT) await this.#inFlight.shift();
    this.#send({ steps, commits: false });
    if (!commits) return;
    const { chain } = this.#indexer;
    const counts = this.#counts;
    this.#bytes = 0;
    this.#counts = NO_BLOCKS;
    this.#since = performance.now();
    // The first tables are being written while the others are made.
    for (const tableSteps of newStateSteps(this.#indexer.takeState()))
      this.#send({ steps: tableSteps, commits: false });
    // After the last one the keys are made together with the indexes, several at a time.
    this.#send({ steps: isLast ? [] : this.#keys, commits: true }, () => {
      this.#indexer.committed();
      this.#status.indexed(chain, counts);
    });
    this.#keys = [];
  }

  /** Waits until all is written. */
  async settle(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#inFlight.shift();
  }

  #send(order: WriteRequest, whenDone?: () => void): void {
    const write = this.#writer.write(order).then(whenDone);
    // An error is seen at the next await of it.
    write.catch(() => {});
    this.#inFlight.push(write);
  }
}

interface CheckedBatch {
  readonly prepared: PreparedBlocks;
  /** Settles when the node says that the batch ends with a block of its chain. */
  readonly confirmed: Promise<void>;
  /** Of the node's chain, asked when the batch had come. */
  readonly bestHeight: Promise<number>;
}

/** Reads what the blocks need, and asks the node about the last of them. `ahead`: prepared, but not applied yet. */
async function prepare(
  { session, indexer, node, status, signal }: BulkContext,
  blocks: readonly IdentifiedBlock[] | null,
  ahead: readonly IdentifiedBlock[],
): Promise<CheckedBatch | null> {
  const last = blocks?.at(-1);
  if (!blocks || !last) return null;
  const height = indexer.chain.height + ahead.length + blocks.length;
  const retry = { signal, onRetry: (error: unknown) => void status.failed(error) };
  const confirmed = withRetry(() => assertOnMainChain(node, height, last.id, signal), retry);
  const info = withRetry(() => withNodeRetry(signal, (options) => node.chainInfo(options)), retry);
  const bestHeight = info.then(({ bestBlock }) => {
    status.nodeAnswered(bestBlock.height);
    return bestBlock.height;
  });
  for (const asked of [confirmed, bestHeight]) asked.catch(() => {});
  return { prepared: await indexer.prepare(session.reader, blocks, ahead), confirmed, bestHeight };
}
