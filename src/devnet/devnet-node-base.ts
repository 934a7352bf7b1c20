import type { Id } from '../chain/types.ts';
import type { BlockTree } from './block-tree.ts';
import {
  type ServedNode,
  type ServedNodeEvent,
  ServedNodeListeners,
  type SubmitResult,
} from './served-node-interface.ts';

/** The real node's mempool hears of an invalidated block after the call was answered. */
const MEMPOOL_LAG_MS = 10;

/** The methods common to all nodes that know a tree of blocks, wherever they come from. */
export abstract class DevnetNode implements ServedNode {
  protected readonly tree: BlockTree;
  readonly #listeners = new ServedNodeListeners();
  /** The best block before each one was invalidated. */
  readonly #invalidated = new Map<Id, Id>();

  protected constructor(tree: BlockTree) {
    this.tree = tree;
  }

  abstract readonly mempoolTransactions: ServedNode['mempoolTransactions'];
  abstract readonly mempoolTransaction: ServedNode['mempoolTransaction'];
  abstract readonly orphanTransaction: ServedNode['orphanTransaction'];
  abstract readonly feeRatePoints: ServedNode['feeRatePoints'];
  abstract submitTransaction(...submission: Parameters<ServedNode['submitTransaction']>): SubmitResult;
  /** Makes a known block the best one, the mempool with it. Throws a `RangeError` when it cannot go back that far. */
  protected abstract goTo(id: Id): void;

  readonly tip = () => this.tree.tip();
  readonly blockBytes = (id: Id) => this.tree.bytes(id);
  readonly mainChainId = (height: number) => this.tree.mainChainId(height);
  readonly mainChainHeight = (id: Id) => this.tree.mainChainHeight(id);
  readonly lastCommonAncestor = (first: Id, second: Id) => this.tree.lastCommonAncestor(first, second);

  invalidateBlock(id: Id) {
    const height = this.tree.mainChainHeight(id);
    if (height === undefined || height === 0) throw new RangeError(`Block ${id} is not one of the main chain`);
    const best = this.tree.tip().id;
    this.goTo(this.tree.mainChainId(height - 1)!);
    this.#invalidated.set(id, best);
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

  listen(listener: (event: ServedNodeEvent) => void) {
    return this.#listeners.add(listener);
  }

  protected tell(event: ServedNodeEvent): void {
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
