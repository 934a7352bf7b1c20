import { randomInt } from 'node:crypto';
import { RpcError } from './rpc-error.ts';
import type { RpcParams } from './rpc-params.ts';
import type { ConnectionRpcMethods } from './rpc-protocol.ts';
import type { ServedNode, ServedNodeEvent } from './served-node-interface.ts';

const CHAINSTATE = 'chainstate_subscribe_to_events';
const MEMPOOL = 'mempool_subscribe_to_events';
type TransactionProcessed = Extract<ServedNodeEvent, { readonly type: 'TransactionProcessed' }>;
type Topic = typeof CHAINSTATE | typeof MEMPOOL;

/** The node's limit for one connection (docs/protocol.md#rpc-transport). */
const MAX_SUBSCRIPTIONS = 1024;

/** The subscriptions of one WebSocket connection (docs/protocol.md#rpc-events). */
export class Subscriptions {
  readonly #send: (text: string) => void;
  readonly #topics = new Map<number, Topic>();
  readonly #stopListening: () => void;

  constructor(chain: ServedNode, send: (text: string) => void) {
    this.#send = send;
    this.#stopListening = chain.listen((event) => this.#tell(event));
  }

  readonly methods: ConnectionRpcMethods = (name) => {
    switch (name) {
      case CHAINSTATE:
      case MEMPOOL:
        return () => this.#subscribe(name);
      case 'chainstate_unsubscribe_to_events':
        return (params) => this.#unsubscribe(CHAINSTATE, params);
      case 'mempool_unsubscribe_to_events':
        return (params) => this.#unsubscribe(MEMPOOL, params);
      default:
        return undefined;
    }
  };

  close(): void {
    this.#stopListening();
    this.#topics.clear();
  }

  #subscribe(topic: Topic): number {
    if (this.#topics.size >= MAX_SUBSCRIPTIONS)
      throw new RpcError(
        -32006,
        'Too many subscriptions on the connection',
        `Exceeded max limit of ${MAX_SUBSCRIPTIONS}`,
      );
    const subscription = randomInt(2 ** 48 - 1);
    this.#topics.set(subscription, topic);
    return subscription;
  }

  #unsubscribe(topic: Topic, params: RpcParams): boolean {
    const subscription = params.count(0, 'subscription');
    return this.#topics.get(subscription) === topic && this.#topics.delete(subscription);
  }

  #tell(event: ServedNodeEvent): void {
    for (const [subscription, topic] of this.#topics) {
      const result = resultOf(topic, event);
      if (result === undefined) continue;
      this.#send(JSON.stringify({ jsonrpc: '2.0', method: topic, params: { subscription, result } }));
    }
  }
}

/** Returns the content of an event; undefined if the topic does not have it. */
function resultOf(topic: Topic, event: ServedNodeEvent): object | undefined {
  switch (event.type) {
    case 'NewTip':
      return { type: 'NewTip', content: { id: event.id, height: event.height } };
    case 'TransactionProcessed':
      return topic === CHAINSTATE ? undefined : transactionProcessed(event);
  }
}

function transactionProcessed({ transactionId, origin, accepted }: TransactionProcessed): object {
  // Refused transactions, and those for this node only, are not relayed.
  const isRelayed = accepted && (origin.type === 'Remote' || origin.by === 'P2p');
  return {
    type: 'TransactionProcessed',
    content: {
      tx_id: transactionId,
      origin:
        origin.type === 'Local'
          ? { type: 'Local', content: { origin: { type: origin.by } } }
          : { type: 'Remote', content: { peer_id: origin.peerId } },
      relay: { type: isRelayed ? 'DoRelay' : 'DontRelay' },
      successful: accepted,
    },
  };
}
