/** What the RPC server needs of the node that it serves. */
import type { FeeRatePoint } from '../chain/fee-rate.ts';
import type { Id, SignedTransaction } from '../chain/types.ts';

/** The best block of a node. */
export interface NodeTip {
  readonly id: Id;
  /** 0 is the genesis. */
  readonly height: number;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Median of the last 11 timestamps ending with this block, seconds since the epoch. */
  readonly medianTime: number;
}

export interface MempoolTransaction {
  readonly id: Id;
  /** The encoded signed transaction. */
  readonly bytes: Uint8Array;
}

/**
 * The node that `serveRpc` serves, recorded or simulated. Everything is returned at once, because the blocks are in memory.
 * "Known" is every block of every branch, the genesis included.
 */
export interface ServedNode {
  tip(): NodeTip;
  /** The encoded block, undefined for an unknown id and for the genesis. */
  blockBytes(id: Id): Buffer | undefined;
  /** The id of the main-chain block at `height`, undefined above the tip. */
  mainChainId(height: number): Id | undefined;
  /** The height of a main-chain block, undefined for a block of another branch and for an unknown one. */
  mainChainHeight(id: Id): number | undefined;
  /** The deepest block of both branches, undefined when one of the two is unknown. */
  lastCommonAncestor(first: Id, second: Id): { readonly id: Id; readonly height: number } | undefined;

  /** The transactions in the order in which they were accepted. */
  mempoolTransactions(): readonly MempoolTransaction[];
  mempoolTransaction(id: Id): MempoolTransaction | undefined;
  /** Returns a transaction that came from a peer before the outputs that it spends. */
  orphanTransaction(id: Id): MempoolTransaction | undefined;
  /** The points by growing size, at least one (docs/protocol.md#fee-rate-points). */
  feeRatePoints(): readonly FeeRatePoint[];
  /**
   * Takes a decoded transaction into the mempool; `bytes` is its encoding, the hash of its unsigned part is its id.
   * Returns the node's message if it is refused. Listeners are notified before it returns, also of one that was there
   * already; never of one that the mempool's policy refuses, as for its fee.
   */
  submitTransaction(transaction: SignedTransaction, bytes: Uint8Array, origin: SubmissionOrigin): SubmitResult;

  /**
   * Leaves a block of the main chain and all above it: its parent is the tip. What they held waits in the mempool
   * again. Listeners are notified a little later. Throws a `RangeError` with a message for the client if that is not
   * possible.
   */
  invalidateBlock(id: Id): void;
  /** Goes back to the best block above one that was invalidated, when it is higher than the tip. */
  resetFailureFlags(id: Id): void;

  /** Calls `listener` after each change, until the function that it gives is called. */
  listen(listener: (event: ServedNodeEvent) => void): () => void;
}

export type SubmitResult =
  | { readonly type: 'Accepted'; readonly transactionId: Id }
  | { readonly type: 'Refused'; readonly reason: string };

/** The origin of a transaction: an RPC method, or a peer. */
export type SubmissionOrigin =
  | { readonly type: 'Local'; readonly by: 'Mempool' | 'P2p' }
  | { readonly type: 'Remote'; readonly peerId: number };

export type ServedNodeEvent =
  | { readonly type: 'NewTip'; readonly id: Id; readonly height: number }
  | {
      readonly type: 'TransactionProcessed';
      readonly transactionId: Id;
      readonly origin: SubmissionOrigin;
      readonly accepted: boolean;
    };

/** The listeners to the changes of a chain. */
export class ServedNodeListeners {
  readonly #listeners = new Set<(event: ServedNodeEvent) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (event: ServedNodeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: ServedNodeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
