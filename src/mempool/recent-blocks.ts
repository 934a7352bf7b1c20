/** Remembers the transactions of the index' newest blocks. They are not pending even if the node still lists them. */
import { MAX_REORGANISATION_DEPTH } from '../chain/reorganisation-depth.ts';
import type { Id } from '../chain/types.ts';
import type { IndexBlock, IndexMove } from './confirmed-index-interface.ts';

/** The number of blocks that a reorganisation can remove, so that their transactions may be pending again. */
const MAX_BLOCKS = MAX_REORGANISATION_DEPTH;
const MAX_TRANSACTIONS = 200_000;
const MAX_NOTED = 10_000;

export class RecentBlocks {
  /** The blocks in ascending order of height. */
  readonly #blocks: IndexBlock[] = [];
  readonly #ids = new Map<number, Id>();
  readonly #heights = new Map<Id, number>();
  /** Confirmed transactions whose blocks were not reported, or are not reported yet. */
  readonly #noted = new Map<Id, number>();

  /** Returns the height of a transaction's block; undefined if no known block has it. */
  heightOf(id: Id): number | undefined {
    return this.#heights.get(id) ?? this.#noted.get(id);
  }

  /** Returns the block of the index at a height; undefined if it is not remembered. */
  blockAt(height: number): Id | undefined {
    return this.#ids.get(height);
  }

  /** Notes a transaction that the index reported as confirmed. */
  note(id: Id, height: number): void {
    this.#noted.set(id, height);
    if (this.#noted.size > MAX_NOTED) this.#noted.delete(this.#noted.keys().next().value!);
  }

  /**
   * Applies a move. Returns the transactions of the new blocks, and those that were in a block and are in none of the
   * new ones, with the heights of those blocks.
   */
  move({ tip, commonHeight, blocks }: IndexMove): {
    readonly confirmed: Map<Id, number>;
    readonly removed: Map<Id, number>;
  } {
    const removed = new Map<Id, number>();
    for (let top = this.#blocks.at(-1); top !== undefined && top.height > commonHeight; top = this.#blocks.at(-1)) {
      for (const id of top.transactionIds) {
        this.#heights.delete(id);
        removed.set(id, top.height);
      }
      this.#ids.delete(top.height);
      this.#blocks.pop();
    }
    // Entries above the new tip belong to a block that the index already has but has not reported.
    for (const [id, height] of this.#noted) {
      if (height <= commonHeight || height > tip.height) continue;
      this.#noted.delete(id);
      removed.set(id, height);
    }
    const confirmed = new Map<Id, number>();
    for (const block of blocks) {
      this.#blocks.push(block);
      this.#ids.set(block.height, block.id);
      for (const id of block.transactionIds) {
        this.#heights.set(id, block.height);
        confirmed.set(id, block.height);
        removed.delete(id);
      }
    }
    while (this.#blocks.length > MAX_BLOCKS || this.#heights.size > MAX_TRANSACTIONS) {
      const oldest = this.#blocks.shift();
      if (oldest === undefined) break;
      this.#ids.delete(oldest.height);
      for (const id of oldest.transactionIds) this.#heights.delete(id);
    }
    return { confirmed, removed };
  }
}
