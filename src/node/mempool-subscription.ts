import { DEFAULT_RETRY_PAUSES } from '../errors/retry.ts';
import type { NodeClient } from './client.ts';
import { NodeEventSocket, type NodeEventSocketOptions } from './event-socket.ts';
import { type NodeMempoolEvent, parseNodeMempoolEvent } from './result-parsers.ts';

/** Callbacks; they must not throw. */
export interface NodeMempoolListener {
  /** Called when events arrive from now on. Earlier ones are lost, so a copy of the mempool must be listed again. */
  subscribed(): void;
  event(event: NodeMempoolEvent): void;
  /** No events come in until `subscribed` is called again. */
  ended(reason: string): void;
}

/**
 * Reports the events of the node's mempool, new tips among them, over one WebSocket (docs/protocol.md#rpc-events), which
 * reconnects whenever it ends. A new tip is reported when the mempool has processed it, and may be lower than the one
 * before it; the event of a submission may come before its response, and comes again when it is repeated. What is
 * evicted, expires or is confirmed has no event.
 */
export function subscribeToMempool(
  client: NodeClient,
  listener: NodeMempoolListener,
  { pingMs = 10_000, pauses = DEFAULT_RETRY_PAUSES }: Partial<NodeEventSocketOptions>,
): NodeEventSocket {
  return new NodeEventSocket(
    client,
    'mempool_subscribe_to_events',
    { pingMs, pauses },
    {
      subscribed: () => listener.subscribed(),
      event(unchecked) {
        const event = parseNodeMempoolEvent(unchecked);
        if (event !== undefined) listener.event(event);
      },
      ended: (reason) => listener.ended(reason),
    },
  );
}
