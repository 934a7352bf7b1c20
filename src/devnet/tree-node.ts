import type { Id, SignedTransaction } from '../chain/types.ts';
import type { BlockTree } from './block-tree.ts';
import {
  type ChainEvent,
  type ChainSource,
  Listeners,
  type MempoolTransaction,
  type SubmitResult,
} from './chain-source.ts';
import type { FeeRatePoint } from './fee-rates.ts';

/** What every node answers that knows a tree of blocks, wherever they come from. */
export abstract class TreeNode implements ChainSource {
  protected readonly tree: BlockTree;
  readonly #listeners = new Listeners();

  protected constructor(tree: BlockTree) {
    this.tree = tree;
  }

  abstract mempoolTransactions(): readonly MempoolTransaction[];
  abstract mempoolTransaction(id: Id): MempoolTransaction | undefined;
  abstract feeRatePoints(): readonly FeeRatePoint[];
  abstract submitTransaction(transaction: SignedTransaction, bytes: Uint8Array): SubmitResult;

  tip() {
    return this.tree.tip();
  }

  blockBytes(id: Id) {
    return this.tree.bytes(id);
  }

  mainChainId(height: number) {
    return this.tree.mainChainId(height);
  }

  mainChainHeight(id: Id) {
    return this.tree.mainChainHeight(id);
  }

  lastCommonAncestor(first: Id, second: Id) {
    return this.tree.lastCommonAncestor(first, second);
  }

  listen(listener: (event: ChainEvent) => void) {
    return this.#listeners.add(listener);
  }

  protected tell(event: ChainEvent): void {
    this.#listeners.tell(event);
  }

  /** Says that the tree has another tip. */
  protected tellTip(): void {
    const { id, height } = this.tree.tip();
    this.tell({ type: 'NewTip', id, height });
  }
}
