/** Merkle trees of recently requested blocks: a block of many transactions is read and hashed once. */
import { type MerkleTree, merkleTree } from '../../chain/merkle.ts';
import type { Id } from '../../chain/types.ts';
import { getBlockLeaves } from '../../store/queries/blocks/blocks.ts';
import type { QueryRunner } from '../../store/read/query.ts';

/** The maximum number of leaves of all cached trees; per leaf a tree has about two nodes of 100 bytes each. */
const MAX_LEAVES = 50_000;

export class MerkleTreeCache {
  readonly #store: QueryRunner;
  /** The trees, least recently used first. A block's tree never changes. */
  readonly #trees = new Map<Id, MerkleTree>();
  readonly #inProgress = new Map<Id, Promise<MerkleTree | null>>();
  #leaves = 0;

  constructor(store: QueryRunner) {
    this.#store = store;
  }

  /** Returns the tree over a block's reward and transactions; null if the block was removed. */
  of(blockId: Id): MerkleTree | null | Promise<MerkleTree | null> {
    const known = this.#trees.get(blockId);
    if (known !== undefined) {
      this.#trees.delete(blockId);
      this.#trees.set(blockId, known);
      return known;
    }
    let tree = this.#inProgress.get(blockId);
    if (tree === undefined) {
      tree = this.#make(blockId).finally(() => this.#inProgress.delete(blockId));
      this.#inProgress.set(blockId, tree);
    }
    return tree;
  }

  async #make(blockId: Id): Promise<MerkleTree | null> {
    const { rows } = await getBlockLeaves(this.#store, blockId);
    if (!rows[0]) return null;
    const { reward_hash, ids } = rows[0];
    const tree = merkleTree([reward_hash, ...(ids.match(/.{64}/g) ?? [])]);
    this.#leaves += tree[0]!.length;
    this.#trees.set(blockId, tree);
    for (const [oldest, { 0: leaves }] of this.#trees) {
      if (this.#leaves <= MAX_LEAVES || oldest === blockId) break;
      this.#trees.delete(oldest);
      this.#leaves -= leaves!.length;
    }
    return tree;
  }
}
