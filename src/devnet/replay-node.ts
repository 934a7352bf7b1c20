import { identifyBlock } from '../chain/codec/block.ts';
import { encodeSignedTransaction } from '../chain/codec/transaction.ts';
import { transactionId } from '../chain/derive-ids.ts';
import type { Id, SignedTransaction } from '../chain/types.ts';
import { atIntervals } from './at-intervals.ts';
import { BlockTree } from './block-tree.ts';
import { addRecordedBlock, ChainFile, type ChainFileHead } from './chain-file-reader.ts';
import { DevnetNode } from './devnet-node-base.ts';
import { DevnetMempool } from './mempool.ts';
import type { MempoolTransaction, SubmissionOrigin, SubmitResult } from './served-node-interface.ts';

/**
 * A node whose chain comes from a recorded file: at its genesis at first, then growing from one recorded best block to
 * the next, reorganisations included. It knows no more than the file: any transaction that can be decoded and has inputs is
 * accepted and waits in the mempool until a recorded block has it.
 */
export class ReplayNode extends DevnetNode {
  readonly #file: ChainFile;
  readonly #mempool = new DevnetMempool();
  #stepping: Promise<unknown> = Promise.resolve();

  private constructor(file: ChainFile) {
    super(new BlockTree(file.head));
    this.#file = file;
  }

  /** Opens the chain file, at its genesis. Lines after `upto` (1 is the genesis) are ignored. Rejects with a ChainFileError. */
  static async open(path: string, upto?: number): Promise<ReplayNode> {
    return new ReplayNode(await ChainFile.open(path, upto));
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
    await atIntervals(blockIntervalMs, signal, () => this.step());
  }

  /** Replays as fast as it can until `id` is the best block, to the end of the file when it never is. */
  async replayTo(id: Id, signal?: AbortSignal): Promise<void> {
    while (this.tree.tip().id !== id && !signal?.aborted && (await this.step()));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  readonly mempoolTransactions = () => this.#mempool.transactions();
  readonly mempoolTransaction = (id: Id) => this.#mempool.get(id);
  readonly feeRatePoints = () => this.#mempool.feeRatePoints();
  /** None: without the outputs that are spent, nothing tells an orphan. */
  readonly orphanTransaction = () => undefined;

  submitTransaction(transaction: SignedTransaction, bytes: Uint8Array, origin: SubmissionOrigin): SubmitResult {
    if (transaction.transaction.inputs.length === 0) return { type: 'Refused', reason: 'Transaction has no inputs.' };
    const id = transactionId(transaction.transaction);
    // The fee is unknown without the spent outputs; the lowest possible rate is reported then.
    const accepted = this.#mempool.add(id, bytes, 0n);
    if (!accepted) return { type: 'Refused', reason: 'Mempool is full' };
    this.tell({ type: 'TransactionProcessed', transactionId: id, origin, accepted });
    return { type: 'Accepted', transactionId: id };
  }

  /** Lets transactions go as the real node does when they expire or when there is no room: without an event. */
  evict(ids: Iterable<Id>): void {
    this.#mempool.remove(ids);
  }

  /** Imitates a restart of the real node, which keeps no mempool. */
  emptyMempool(): void {
    this.#mempool.remove(this.#mempool.transactions().map(({ id }) => id));
  }

  protected goTo(id: Id): void {
    const { tree } = this;
    const ancestor = tree.lastCommonAncestor(tree.tip().id, id)!.height;
    const removed: MempoolTransaction[] = [];
    for (let height = ancestor + 1; height <= tree.tip().height; height++) {
      removed.push(...transactionsOf(tree.bytes(tree.mainChainId(height)!)!));
    }
    tree.setTip(id);
    this.#mempool.putBack(removed);
    for (let height = ancestor + 1; height <= tree.tip().height; height++) {
      this.#mempool.remove(identifyBlock(tree.bytes(tree.mainChainId(height)!)!).transactionIds);
    }
  }

  async #step(): Promise<boolean> {
    for (let block = await this.#file.next(); block !== undefined; block = await this.#file.next()) {
      addRecordedBlock(this.tree, this.#file, block);
      if (!block.tip) continue;
      this.tree.setTip(block.id);
      if (this.#mempool.size > 0) this.#mempool.remove(identifyBlock(block.bytes).transactionIds);
      this.tellTip();
      return true;
    }
    return false;
  }
}

function transactionsOf(bytes: Buffer): MempoolTransaction[] {
  const { block, transactionIds } = identifyBlock(bytes);
  return block.transactions.map((signed, i) => ({ id: transactionIds[i]!, bytes: encodeSignedTransaction(signed) }));
}
