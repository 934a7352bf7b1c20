/** Provides the node's blocks in batches. A thread fetches, hashes and checks them ahead of their use. */
import type { Worker } from 'node:worker_threads';
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import type { ChainTip } from '../../ledger/state.ts';
import type { NodeClientOptions } from '../../node/client.ts';
import type { NodeLogger } from '../../node/logger-interface.ts';
import { startWorkerThread } from '../start-worker-thread.ts';
import type { FeedMessage, FeedRequest, FeedThreadData } from './block-feed-worker.ts';
import { decodeHashedBlocks, type HashedBlocks } from './hashed-blocks.ts';
import { requireParent } from './verify-blocks.ts';

/** A batch ends with the block that brings it to one of these limits. */
const BATCH_BYTES = 512 * 1024;
const BATCH_BLOCKS = 400;
/**
 * The first batch is small, so that work begins soon. Each is twice as large as the one before, up to `BATCH_BYTES`.
 */
const FIRST_BATCH_BYTES = 64 * 1024;

/** The id of a thread that has ended. */
const ENDED = -1;

/** Blocks could not be fetched: the response is damaged, or the fetching thread failed. A retry may help. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
}

/** Receives the log messages of the threads: each warning is of a request that is made again. */
export interface FeedListener extends NodeLogger {
  /** Called when blocks have arrived. */
  arrived(): void;
}

interface BlockFeedOptions {
  /** A thread of `startFeedThread` that no feed has used; the feed ends it. */
  readonly thread: Worker;
  readonly listener: FeedListener;
  /** The first height. `parent`: the id of the block before it. */
  readonly from: number;
  readonly parent: Id;
  /** The last height, inclusive. */
  readonly to: number;
}

/** Starts a thread for a feed that may begin later. Until then the thread does not keep the process alive. */
export function startFeedThread({ logger: _, inUse, ...node }: NodeClientOptions): Worker {
  const data: FeedThreadData = { ...node, shared: inUse?.shared };
  const thread = startWorkerThread('./block-feed-worker.ts', import.meta.url, data);
  thread.unref();
  // Before the thread is used, an error has no effect; after that, its feed fails.
  thread.on('error', () => {});
  return thread;
}

export class BlockFeed {
  readonly parent: Id;
  readonly to: number;
  readonly #pages: Pages;
  readonly #batches: AsyncGenerator<IdentifiedBlock[]>;
  /** The next batch, requested one batch ahead. */
  #upcoming: Promise<IdentifiedBlock[] | null>;

  /** Begins to fetch at once. */
  constructor({ thread, listener, from, parent, to }: BlockFeedOptions) {
    this.parent = parent;
    this.to = to;
    this.#pages = new Pages(thread, listener, { from, to });
    this.#batches = batchBySize(this.#pages.decoded(), parent);
    this.#upcoming = this.#pull();
  }

  /** Returns the next batch; null after the last one. Rejects if a block does not follow the one before. */
  next(): Promise<IdentifiedBlock[] | null> {
    const batch = this.#upcoming;
    this.#upcoming = batch.then((value) => (value === null ? null : this.#pull()));
    this.#upcoming.catch(() => {});
    return batch;
  }

  /** Ends all requests in flight, even if the node does not respond. */
  close(): Promise<void> {
    return this.#pages.close();
  }

  #pull(): Promise<IdentifiedBlock[] | null> {
    const pulled = this.#batches.next().then(({ value, done }) => (done ? null : value));
    // The batch may fail before anybody waits for it.
    pulled.catch(() => {});
    return pulled;
  }
}

/** Buffers the messages of a feed thread. */
class Pages {
  readonly #thread: Worker;
  readonly #arrived: HashedBlocks[] = [];
  #end: 'not yet' | 'all came' | FeedError = 'not yet';
  #wake: (() => void) | null = null;

  constructor(thread: Worker, listener: FeedListener, order: FeedRequest) {
    this.#thread = thread;
    thread.on('message', (message: FeedMessage) => {
      if (message === null) this.#finish('all came');
      else if ('failure' in message) this.#finish(new FeedError(message.failure));
      else if ('level' in message) listener[message.level]?.(message.fields, message.message);
      else {
        this.#arrived.push(message);
        listener.arrived();
        this.#wake?.();
      }
    });
    thread.on('error', (error: unknown) => this.#finish(new FeedError(`the fetching thread failed: ${String(error)}`)));
    thread.on('exit', () => this.#finish(new FeedError('the fetching thread ended')));
    thread.ref();
    thread.postMessage(order);
    if (thread.threadId === ENDED) this.#finish(new FeedError('the fetching thread ended before its work'));
  }

  /** Yields the blocks, page by page. Throws a FeedError if they end early. */
  async *decoded(): AsyncGenerator<IdentifiedBlock[]> {
    for (;;) {
      const page = this.#arrived.shift();
      if (page !== undefined) {
        yield decodeHashedBlocks(page);
        this.#thread.postMessage({ takenBytes: page.bytes.length } satisfies FeedRequest);
      } else if (this.#end === 'all came') return;
      else if (this.#end !== 'not yet') throw this.#end;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #finish(end: 'all came' | FeedError): void {
    if (this.#end === 'not yet') this.#end = end;
    if (end === 'all came') void this.#thread.terminate();
    this.#wake?.();
  }
}

/** Joins the blocks of pages to batches, and checks that each block follows the one before. */
export async function* batchBySize(
  pages: AsyncIterable<IdentifiedBlock[]>,
  parent: Id,
): AsyncGenerator<IdentifiedBlock[]> {
  let previous = parent;
  let batch: IdentifiedBlock[] = [];
  let bytes = 0;
  let limit = FIRST_BATCH_BYTES;
  for await (const page of pages) {
    for (const identified of page) {
      requireParent(identified, previous);
      previous = identified.id;
      batch.push(identified);
      bytes += identified.size;
      if (bytes >= limit || batch.length >= BATCH_BLOCKS) {
        yield batch;
        batch = [];
        bytes = 0;
        limit = Math.min(2 * limit, BATCH_BYTES);
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** The feeds of a scanner's bulk syncs, and the thread that is started before the first. */
export class BlockFeeds {
  readonly #node: NodeClientOptions;
  readonly #listener: FeedListener;
  /**
   * A thread that is started with the scanner, whether there will be a bulk sync or not; null after it was used or
   * ended.
   */
  #spareThread: Worker | null;
  /** The feed of the first blocks, started while the index is being created. */
  #begun: BlockFeed | null = null;

  constructor(node: NodeClientOptions, listener: FeedListener) {
    this.#node = node;
    this.#listener = listener;
    this.#spareThread = startFeedThread(node);
  }

  /** Starts to fetch the blocks that the next call of `from` is expected to return. */
  begin(chain: Pick<ChainTip, 'height' | 'blockId'>, best: number): void {
    this.#begun = this.from(chain, best);
  }

  /** Returns the feed of the node's blocks above a tip: the one begun for it, or a new one. */
  from({ height, blockId }: Pick<ChainTip, 'height' | 'blockId'>, best: number): BlockFeed {
    const begun = this.#begun;
    this.#begun = null;
    if (begun?.parent === blockId) return begun;
    void begun?.close();
    const thread = this.#spareThread ?? startFeedThread(this.#node);
    this.#spareThread = null;
    return new BlockFeed({ thread, listener: this.#listener, from: height + 1, parent: blockId, to: best });
  }

  /** Ends a feed that was begun and not used. */
  async drop(): Promise<void> {
    await this.#begun?.close();
    this.#begun = null;
  }

  async endSpareThread(): Promise<void> {
    await this.#spareThread?.terminate();
    this.#spareThread = null;
  }
}
