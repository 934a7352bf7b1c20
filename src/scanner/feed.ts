/** The node's blocks in batches: fetched, hashed and checked to follow each other, ahead of their use. */
import type { Id, IdentifiedBlock } from '../chain/types.ts';
import type { NodeClient } from '../node/client.ts';
import type { BlockReader } from './block-reader.ts';
import { ChainMovedError } from './blocks.ts';
import { fetchPages } from './pages.ts';

/** A batch ends with the block that brings it to one of these. */
const BATCH_BYTES = 512 * 1024;
const BATCH_BLOCKS = 400;
/** The first batch is small, and each twice the one before until they are full: so the work begins soon. */
const FIRST_BATCH_BYTES = 64 * 1024;

export interface BlockFeedOptions {
  readonly node: NodeClient;
  readonly reader: BlockReader;
  /** The first height, and the id of the block below it. */
  readonly from: number;
  readonly parent: Id;
  /** The last height, inclusive. */
  readonly to: number;
  readonly signal: AbortSignal;
}

export class BlockFeed {
  readonly parent: Id;
  readonly to: number;
  readonly #closing = new AbortController();
  readonly #batches: AsyncGenerator<IdentifiedBlock[]>;
  /** Always one batch ahead. */
  #upcoming: Promise<IdentifiedBlock[] | null>;

  /** Begins to fetch at once. */
  constructor({ node, reader, from, parent, to, signal }: BlockFeedOptions) {
    this.parent = parent;
    this.to = to;
    this.#batches = batches(
      fetchPages({ node, from, to, signal: AbortSignal.any([signal, this.#closing.signal]) }, (body) =>
        reader.read(body),
      ),
      parent,
    );
    this.#upcoming = this.#pull();
  }

  /** The next batch; null after the last. Rejects when the node's blocks do not fit together. */
  next(): Promise<IdentifiedBlock[] | null> {
    const batch = this.#upcoming;
    this.#upcoming = batch.then((value) => (value === null ? null : this.#pull()));
    this.#upcoming.catch(() => {});
    return batch;
  }

  /** Ends what is in flight, also where the node is away. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#batches.return(undefined).catch(() => {});
  }

  #pull(): Promise<IdentifiedBlock[] | null> {
    const pulled = this.#batches.next().then(({ value, done }) => (done ? null : value));
    // It may fail before anybody waits for it.
    pulled.catch(() => {});
    return pulled;
  }
}

/** Gathers the blocks of pages into batches and checks that each follows the one before. */
async function* batches(pages: AsyncIterable<IdentifiedBlock[]>, parent: Id): AsyncGenerator<IdentifiedBlock[]> {
  let previous = parent;
  let batch: IdentifiedBlock[] = [];
  let bytes = 0;
  let limit = FIRST_BATCH_BYTES;
  for await (const page of pages) {
    for (const identified of page) {
      const { prevBlockId } = identified.block.header;
      if (prevBlockId !== previous) {
        throw new ChainMovedError(`block ${identified.id} follows ${prevBlockId}, not ${previous}`);
      }
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
