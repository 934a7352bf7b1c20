/**
 * The part of the node that the mirror needs. It is an interface, so that tests control its responses and their timing.
 */

import type { NodeClient } from '../node/client.ts';
import {
  MEMPOOL_EVENTS,
  type NodeEventListener,
  NodeEventSocket,
  type NodeEventSocketOptions,
} from '../node/event-socket.ts';
import type { BlockIdAndHeight, NodeMempoolEvent, NodeMempoolTransaction } from '../node/result-parsers.ts';

export interface MirroredNode {
  /**
   * Returns all pending transactions, encoded, in the order of their acceptance; `too large` if the node refuses so
   * long a list.
   */
  transactions(signal: AbortSignal): Promise<readonly Uint8Array[] | 'too large'>;
  /** Returns a transaction, or null if the node does not have it. */
  transaction(id: string, signal: AbortSignal): Promise<NodeMempoolTransaction | null>;
  tip(signal: AbortSignal): Promise<BlockIdAndHeight>;
  /** Is the block on its main chain? */
  hasBlock(block: BlockIdAndHeight, signal: AbortSignal): Promise<boolean>;
  /** Follows the events until `close` is called. */
  listen(listener: NodeEventListener<NodeMempoolEvent>): { close(): Promise<void> };
}

/**
 * Returns the node for a mirror. `client` needs one connection, which nothing else uses. With the socket of the events
 * there are two connections, however many clients the web server has.
 */
export function mirroredNode(client: NodeClient, options: Partial<NodeEventSocketOptions> = {}): MirroredNode {
  return {
    transactions: (signal) => client.mempoolTransactions({ signal }),
    transaction: (id, signal) => client.mempoolTransaction(id, { signal }),
    tip: async (signal) => (await client.chainInfo({ signal })).bestBlock,
    hasBlock: async ({ id, height }, signal) => (await client.blockIdAtHeight(height, { signal })) === id,
    listen: (listener) => new NodeEventSocket(client, MEMPOOL_EVENTS, listener, options),
  };
}
