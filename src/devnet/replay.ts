import { setTimeout as sleep } from 'node:timers/promises';
import { identifyBlock } from '../chain/codec/block.ts';
import { transactionId } from '../chain/ids.ts';
import type { Id, SignedTransaction } from '../chain/types.ts';
import { BlockTree } from './block-tree.ts';
import { ChainFile, type ChainFileBlock, type ChainFileHead } from './chain-file.ts';
import { type ChainEvent, type ChainSource, Listeners, type SubmitResult } from './chain-source.ts';
import { Mempool } from './mempool.ts';

export interface ReplayOptions {
  /** Lines after this one (1 is the genesis) are ignored. */
  readonly upto?: number | undefined;
}

/**
 * A node whose chain comes from a recorded file: at its genesis at first, then growing from one recorded best block to
 * the next, reorganisations included. It knows no more than the file: any transaction that can be decoded is accepted
 * and waits in the mempool until a recorded block has it.
 */
export class ReplayNode implements ChainSource {
  readonly #file: ChainFile;
  readonly #tree: BlockTree;
  readonly #mempool = new Mempool();
  readonly #listeners = new Listeners();
  #stepping: Promise<unknown> = Promise.resolve();

  private constructor(file: ChainFile) {
    this.#file = file;
    this.#tree = new BlockTree(file.head);
  }

  /** Opens the chain file, at its genesis. Rejects with a ChainFileError. */
  static async open(path: string, options: ReplayOptions = {}): Promise<ReplayNode> {
    return new ReplayNode(await ChainFile.open(path, options.upto));
  }

  /** The first line of the file: the genesis and, where it says so, the network. */
  get head(): ChainFileHead {
    return this.#file.head;
  }

  /** Goes on to the next recorded best block. False at the end of the file. Rejects with a ChainFileError. */
  step(): Promise<boolean> {
    const step = this.#stepping.then(() => this.#step());
    this.#stepping = step.catch(() => {});
    return step;
  }

  /**
   * Replays the file to its end, a step each `blockIntervalMs` (0: as fast as it can be read). Resolves at the end of
   * the file, or when `signal` is aborted. Rejects with a ChainFileError.
   */
  async replay(blockIntervalMs = 0, signal?: AbortSignal): Promise<void> {
    for (let due = performance.now(); !signal?.aborted; ) {
      if (blockIntervalMs > 0) {
        // Due times, not pauses: reading and answering in between must not slow the chain down.
        due = Math.max(due + blockIntervalMs, performance.now() - blockIntervalMs);
        const pauseMs = Math.max(0, due - performance.now());
        await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
        if (signal?.aborted) return;
      }
      if (!(await this.step())) return;
    }
  }

  /** Replays as fast as it can until `id` is the best block, to the end of the file when it never is. */
  async replayTo(id: Id, signal?: AbortSignal): Promise<void> {
    while (this.#tree.tip().id !== id && !signal?.aborted && (await this.step()));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  tip() {
    return this.#tree.tip();
  }

  blockBytes(id: Id) {
    return this.#tree.bytes(id);
  }

  mainChainId(height: number) {
    return this.#tree.mainChainId(height);
  }

  mainChainHeight(id: Id) {
    return this.#tree.mainChainHeight(id);
  }

  lastCommonAncestor(first: Id, second: Id) {
    return this.#tree.lastCommonAncestor(first, second);
  }

  mempoolTransactions() {
    return this.#mempool.transactions();
  }

  mempoolTransaction(id: Id) {
    return this.#mempool.get(id);
  }

  feeRatePoints() {
    return this.#mempool.feeRatePoints();
  }

  submitTransaction(transaction: SignedTransaction, bytes: Uint8Array): SubmitResult {
    const id = transactionId(transaction.transaction);
    // The fee is unknown without the outputs that are spent; the lowest possible rate is then told.
    const accepted = this.#mempool.add(id, bytes, 0n);
    this.#listeners.tell({ type: 'TransactionProcessed', transactionId: id, accepted });
    return accepted ? { type: 'Accepted', transactionId: id } : { type: 'Refused', reason: 'Mempool is full' };
  }

  listen(listener: (event: ChainEvent) => void) {
    return this.#listeners.add(listener);
  }

  async #step(): Promise<boolean> {
    for (let block = await this.#file.next(); block !== undefined; block = await this.#file.next()) {
      this.#add(block);
      if (!block.tip) continue;
      this.#tree.setTip(block.id);
      if (this.#mempool.size > 0) this.#mempool.remove(identifyBlock(block.bytes).transactionIds);
      this.#listeners.tell({ type: 'NewTip', id: block.id, height: this.#tree.tip().height });
      return true;
    }
    return false;
  }

  #add(block: ChainFileBlock): void {
    const parentHeight = this.#tree.height(block.prev);
    if (parentHeight === undefined) throw this.#file.error(block, `the parent ${block.prev} has not come before`);
    if (block.height !== undefined && block.height !== parentHeight + 1)
      throw this.#file.error(block, `"height" is ${block.height}, but the parent's is ${parentHeight}`);
    this.#tree.add(block);
  }
}
