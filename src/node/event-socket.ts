import type { Backoff } from '../errors/backoff.ts';
import { DEFAULT_RETRY_PAUSES, jitteredBackoffPause, pause } from '../errors/retry.ts';
import type { NodeClient } from './client.ts';
import { hostPortText } from './host-port.ts';
import { connectionErrorText } from './http-transport.ts';
import { GENESIS_CALL } from './node-connection.ts';
import { NodeError, oneLineExcerpt } from './node-error.ts';
import {
  type BlockIdAndHeight,
  type NodeMempoolEvent,
  parseNewTipEvent,
  parseNodeMempoolEvent,
} from './result-parsers.ts';

type WebSocketClass = typeof import('ws').default;

/** An event stream of the node (docs/protocol.md#rpc-events). */
interface EventStream<Event> {
  readonly method: string;
  /** Returns undefined for an unknown event. */
  readonly parse: (event: unknown) => Event | undefined;
}

/** The tips of the node's chain. */
export const CHAIN_EVENTS: EventStream<BlockIdAndHeight> = {
  method: 'chainstate_subscribe_to_events',
  parse: parseNewTipEvent,
};

/**
 * What enters the node's mempool, and new tips, which are reported when the mempool has processed them, and may be lower than the
 * one before. The event of a submission may come before its response, and comes again when it is repeated. What is evicted,
 * expires or is confirmed has no event.
 */
export const MEMPOOL_EVENTS: EventStream<NodeMempoolEvent> = {
  method: 'mempool_subscribe_to_events',
  parse: parseNodeMempoolEvent,
};

export interface NodeEventSocketOptions {
  /** The interval of pings, in milliseconds; a socket that is silent for two intervals is given up. */
  readonly pingMs: number;
  /** Pauses between attempts to connect. */
  readonly pauses: Backoff;
}

/** Callbacks; they must not throw. */
export interface NodeEventListener<Event> {
  /** The subscription holds: from here on nothing is missed. Earlier events are lost. */
  subscribed(): void;
  event(event: Event): void;
  /** A subscription has ended; the next `subscribed` comes when there is another. */
  ended(reason: string): void;
}

/** Events are tiny. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** A WebSocket to the node with one subscription. It reconnects whenever it ends, until it is closed. */
export class NodeEventSocket<Event> {
  readonly #client: NodeClient;
  readonly #stream: EventStream<Event>;
  readonly #options: NodeEventSocketOptions;
  readonly #listener: NodeEventListener<Event>;
  readonly #closing = new AbortController();
  readonly #task: Promise<void>;
  /** Ends the socket, because another node is used. */
  #endUse = () => {};

  constructor(
    client: NodeClient,
    stream: EventStream<Event>,
    listener: NodeEventListener<Event>,
    { pingMs = 10_000, pauses = DEFAULT_RETRY_PAUSES }: Partial<NodeEventSocketOptions> = {},
  ) {
    this.#client = client;
    this.#stream = stream;
    this.#options = { pingMs, pauses };
    this.#listener = listener;
    client.inUse.onChange(() => this.#endUse());
    this.#task = this.#keepUp();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#task;
  }

  async #keepUp(): Promise<void> {
    const { signal } = this.#closing;
    // Loaded here, so that a sync that begins does not wait for it.
    const { default: WebSocket } = await import('ws');
    for (let failures = 0; !signal.aborted; ) {
      const sent = await this.#client.connection.credentials.header().catch(() => undefined);
      const { reason, subscribed, refused } = await this.#live(WebSocket, sent);
      if (signal.aborted) return;
      if (subscribed) failures = 0;
      failures++;
      if (refused) await this.#client.connection.credentials.renew(sent).catch(() => false);
      this.#client.logger.debug?.({ reason, failures }, 'no event socket, trying again');
      await pause(jitteredBackoffPause(failures, this.#options.pauses), signal).catch(() => {});
    }
  }

  /** Runs a socket until it ends; never rejects. */
  #live(
    WebSocket: WebSocketClass,
    authorization: string | undefined,
  ): Promise<{ reason: string; subscribed: boolean; refused: boolean }> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      const { pingMs } = this.#options;
      const { connection } = this.#client;
      const { isTls, path } = connection.address;
      const socket = new WebSocket(`${isTls ? 'wss' : 'ws'}://${hostPortText(connection.address)}${path}`, {
        headers: authorization === undefined ? {} : { authorization },
        handshakeTimeout: pingMs,
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
        followRedirects: false,
      });
      let subscription: number | undefined;
      let silentPings = 0;
      let unansweredPings = 0;
      const end = (reason: string, refused = false) => {
        clearInterval(pings);
        this.#endUse = () => {};
        signal.removeEventListener('abort', stop);
        socket.removeAllListeners();
        // Terminating a socket that is still connecting emits an error that would be unhandled.
        socket.on('error', () => {});
        socket.terminate();
        const subscribed = subscription !== undefined;
        if (subscribed && !signal.aborted) this.#listener.ended(reason);
        resolve({ reason, subscribed, refused });
      };
      const stop = () => end('closed');
      const pings = setInterval(() => {
        if (silentPings++ >= 2) return end('the node is silent');
        if (subscription === undefined && ++unansweredPings >= 2)
          return end('the node does not answer the subscription');
        if (socket.readyState === WebSocket.OPEN) socket.ping();
      }, pingMs);
      signal.addEventListener('abort', stop, { once: true });
      this.#endUse = () => end('another node is used from now on');
      const send = (request: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...request }), () => {});
      const subscribe = () => send({ id: SUBSCRIPTION_REQUEST, method: this.#stream.method, params: [] });
      // The same address may be that of another network by now.
      socket.on('open', () => (connection.hasNetwork ? send({ id: GENESIS_REQUEST, ...GENESIS_CALL }) : subscribe()));
      socket.on('pong', () => {
        silentPings = 0;
      });
      socket.on('message', (data) => {
        silentPings = 0;
        const message = readMessage(this.#stream.method, String(data));
        switch (message.type) {
          case 'genesis':
            try {
              connection.requireNetwork(message.id);
            } catch (error) {
              return end((error as Error).message);
            }
            return subscribe();
          case 'subscribed':
            // A second response to the one request is ignored.
            if (subscription !== undefined) return;
            subscription = message.subscription;
            return this.#listener.subscribed();
          case 'event': {
            const event = message.subscription === subscription ? this.#stream.parse(message.event) : undefined;
            if (event !== undefined) this.#listener.event(event);
            return;
          }
          case 'refused':
            return end(message.reason);
          case 'other':
            return;
        }
      });
      socket.on('unexpected-response', (_request, response) => {
        response.resume();
        end(`HTTP status ${response.statusCode}`, response.statusCode === 401);
      });
      socket.on('error', (error) => end(connectionErrorText(error)));
      socket.on('close', (code) => end(`closed with code ${code}`));
      if (signal.aborted) stop();
    });
  }
}

const GENESIS_REQUEST = 0;
const SUBSCRIPTION_REQUEST = 1;

type SocketMessage =
  | { readonly type: 'genesis'; readonly id: string | null }
  | { readonly type: 'subscribed'; readonly subscription: number }
  | { readonly type: 'event'; readonly subscription: number; readonly event: unknown }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'other' };

function readMessage(expected: string, text: string): SocketMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { type: 'refused', reason: NodeError.malformed(expected, 'JSON', text).message };
  }
  if (typeof message !== 'object' || message === null) return { type: 'other' };
  const { id, result, error, method, params } = message as Record<string, unknown>;
  if (id === GENESIS_REQUEST)
    return typeof result === 'string' || result === null
      ? { type: 'genesis', id: result }
      : { type: 'refused', reason: `the node did not tell its genesis: ${oneLineExcerpt(error ?? result)}` };
  if (id === SUBSCRIPTION_REQUEST)
    return typeof result === 'number'
      ? { type: 'subscribed', subscription: result }
      : { type: 'refused', reason: `the node refused the subscription: ${oneLineExcerpt(error ?? null)}` };
  if (method !== expected || typeof params !== 'object' || params === null) return { type: 'other' };
  const { subscription, result: event } = params as Record<string, unknown>;
  return typeof subscription === 'number' ? { type: 'event', subscription, event } : { type: 'other' };
}
