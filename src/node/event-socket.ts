import type { Backoff } from '../errors/backoff.ts';
import { jitteredBackoffPause, pause } from '../errors/retry.ts';
import type { NodeClient } from './client.ts';
import { hostPortText } from './host-port.ts';
import { connectionErrorText } from './http-transport.ts';
import { GENESIS_CALL } from './node-connection.ts';
import { NodeError, oneLineExcerpt } from './node-error.ts';

type WebSocketClass = typeof import('ws').default;

/** The node's event streams (docs/protocol.md#rpc-events). */
type EventMethod = 'chainstate_subscribe_to_events' | 'mempool_subscribe_to_events';

export interface NodeEventSocketOptions {
  /** The interval of pings, in milliseconds; a socket that is silent for two intervals is given up. */
  readonly pingMs: number;
  /** Pauses between attempts to connect. */
  readonly pauses: Backoff;
}

/** Callbacks; they must not throw. */
interface EventSocketListener {
  /** The subscription holds: from here on nothing is missed. */
  subscribed(): void;
  /** An event as the node sent it, unchecked. */
  event(event: unknown): void;
  /** A subscription has ended; the next `subscribed` comes when there is another. */
  ended(reason: string): void;
}

/** Events are tiny. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** A WebSocket to the node with one subscription. It reconnects whenever it ends, until it is closed. */
export class NodeEventSocket {
  readonly #client: NodeClient;
  readonly #method: EventMethod;
  readonly #options: NodeEventSocketOptions;
  readonly #listener: EventSocketListener;
  readonly #closing = new AbortController();
  readonly #task: Promise<void>;
  /** Ends the socket, because another node is used. */
  #endUse = () => {};

  constructor(client: NodeClient, method: EventMethod, options: NodeEventSocketOptions, listener: EventSocketListener) {
    this.#client = client;
    this.#method = method;
    this.#options = options;
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
      const subscribe = () => send({ id: SUBSCRIPTION_REQUEST, method: this.#method, params: [] });
      // The same address may be that of another network by now.
      socket.on('open', () => (connection.hasNetwork ? send({ id: GENESIS_REQUEST, ...GENESIS_CALL }) : subscribe()));
      socket.on('pong', () => {
        silentPings = 0;
      });
      socket.on('message', (data) => {
        silentPings = 0;
        const message = readMessage(this.#method, String(data));
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
          case 'event':
            return message.subscription === subscription ? this.#listener.event(message.event) : undefined;
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

function readMessage(expected: EventMethod, text: string): SocketMessage {
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
