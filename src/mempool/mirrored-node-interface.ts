/** The node, as far as the mirror needs it: an interface, so that tests control what it says and when. */

import type { NodeClient } from '../node/client.ts';
import type { EventSocketOptions } from '../node/event-socket.ts';
import { type NodeMempoolListener, subscribeToMempool } from '../node/mempool-subscription.ts';
import type { BlockPoint, WaitingTransaction } from '../node/responses.ts';

export interface MirroredNode {
  /** All pending transactions, encoded, in the order of their acceptance; `too large` where the node does not tell. */
  transactions(signal: AbortSignal): Promise<readonly Uint8Array[] | 'too large'>;
  /** Null for one that is not there. */
  transaction(id: string, signal: AbortSignal): Promise<WaitingTransaction | null>;
  tip(signal: AbortSignal): Promise<BlockPoint>;
  /** Follows the events until they are closed. */
  listen(listener: NodeMempoolListener): { close(): Promise<void> };
}

/**
 * Give it a client of its own that keeps one connection: with the socket of the events there are two, however many
 * clients the web server has.
 */
export function mirroredNode(client: NodeClient, options: Partial<EventSocketOptions> = {}): MirroredNode {
  return {
    transactions: (signal) => client.mempoolTransactions({ signal }),
    transaction: (id, signal) => client.mempoolTransaction(id, { signal }),
    tip: async (signal) => (await client.chainInfo({ signal })).bestBlock,
    listen: (listener) => subscribeToMempool(client, listener, options),
  };
}
