/** The feeds of a scanner's bulk syncs, and the thread that is started ahead of the first. */
import type { Worker } from 'node:worker_threads';
import type { ChainTip } from '../../ledger/state.ts';
import type { NodeClientOptions } from '../../node/client.ts';
import type { NodeLogger } from '../../node/logger.ts';
import { BlockFeed, startFeedThread } from './block-feed.ts';

export class BlockFeeds {
  readonly #node: NodeClientOptions;
  readonly #logger: NodeLogger;
  /** Started ahead of the first bulk sync, whether there will be one or not. */
  #spareThread: Worker | null;
  /** Of the first blocks, begun while the index is being created. */
  #begun: BlockFeed | null = null;

  /** `logger`: for the messages of the threads. */
  constructor(node: NodeClientOptions, logger: NodeLogger) {
    this.#node = node;
    this.#logger = logger;
    this.#spareThread = startFeedThread(node);
  }

  /** Begins to fetch the blocks that the next call of `from` is expected to return. */
  begin(chain: Pick<ChainTip, 'height' | 'blockId'>, best: number): void {
    this.#begun = this.from(chain, best);
  }

  /** The node's blocks above a tip: the feed that was begun for it, or a new one. */
  from({ height, blockId }: Pick<ChainTip, 'height' | 'blockId'>, best: number): BlockFeed {
    const begun = this.#begun;
    this.#begun = null;
    if (begun?.parent === blockId) return begun;
    void begun?.close();
    const thread = this.#spareThread ?? startFeedThread(this.#node);
    this.#spareThread = null;
    return new BlockFeed({ thread, logger: this.#logger, from: height + 1, parent: blockId, to: best });
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
