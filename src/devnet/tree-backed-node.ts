import type { Id, SignedTransaction } from '../chain/types.ts';
import type { BlockTree } from './block-tree.ts';
import {
  type ChainEvent,
  type ChainSource,
  Listeners,
  type MempoolTransaction,
  type SubmitResult,
  type TransactionOrigin,
} from './chain-source.ts';
import type { FeeRatePoint } from './fee-rates.ts';

/** The real node's mempool hears of an invalidated block after the call was answered. */
const MEMPOOL_LAG_MS = 10;

/** What every node answers that knows a tree of blocks, wherever they come from. */
export abstract class TreeNode implements ChainSource {
  protected readonly tree: BlockTree;
  readonly #listeners = new Listeners();
  /** The best block that was left with each invalidated one. */
  readonly #invalidated = new Map<Id, Id>();

  protected constructor(tree: BlockTree) {
    this.tree = tree;
  }

  abstract mempoolTransactions(): readonly MempoolTransaction[];
  abstract mempoolTransaction(id: Id): MempoolTransaction | undefined;
  abstract orphanTransaction(id: Id): MempoolTransaction | undefined;
  abstract feeRatePoints(): readonly FeeRatePoint[];
  abstract submitTransaction(
    transaction: SignedTransaction,
    bytes: Uint8Array,
    origin: TransactionOrigin,
  ): SubmitResult;
  /** Makes a known block the best one, the mempool with it. Throws a `RangeError` when it cannot go back that far. */
  protected abstract goTo(id: Id): void;

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

  invalidateBlock(id: Id) {
    const height = this.tree.mainChainHeight(id);
    if (height === undefined || height === 0) throw new RangeError(`Block ${id} is not one of the main chain`);
    const left = this.tree.tip().id;
    this.goTo(this.tree.mainChainId(height - 1)!);
    this.#invalidated.set(id, left);
    this.#tellTipLater();
  }

  resetFailureFlags(id: Id) {
    if (!this.tree.has(id)) throw new RangeError(`Block ${id} is not known`);
    const left = this.#invalidated.get(id);
    this.#invalidated.delete(id);
    const height = left === undefined ? undefined : this.tree.height(left);
    if (left === undefined || height === undefined || height <= this.tree.tip().height) return;
    this.goTo(left);
    this.#tellTipLater();
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

  #tellTipLater(): void {
    const { id, height } = this.tree.tip();
    setTimeout(() => this.tell({ type: 'NewTip', id, height }), MEMPOOL_LAG_MS).unref();
  }
}
