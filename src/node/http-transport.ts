import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type NodeAddress, nodeAddressText } from './node-address.ts';
import { NodeError, RPC_RESPONSE_TOO_LARGE } from './node-error.ts';

/** An `import` of it would evaluate everything that it exports, WebSockets and another HTTP client included: 40 ms. */
const http = process.getBuiltinModule('node:http');

export interface TransportOptions {
  /** Longest time without any progress, connecting included, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Longest time for a whole exchange, in milliseconds. */
  readonly totalTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly maxConnections: number;
}

/** Callbacks; they must not throw. */
interface TransportListener {
  /** A request was sent. */
  asked(): void;
  /** A part of a response has arrived. */
  heard(): void;
  /** A connection was closed or lost. */
  disconnected(): void;
}

/** Loaded only for a node that is reached over TLS. */
const https = () => process.getBuiltinModule('node:https');

interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** HTTP POST of JSON over connections that are kept open; as many requests in flight as there are connections. */
export class HttpTransport {
  readonly address: NodeAddress;
  readonly #options: TransportOptions;
  readonly #listener: TransportListener;
  readonly #agent: HttpAgent;
  /** The beginning of the messages of errors. */
  readonly #where: string;
  readonly #sockets = new WeakSet<Socket>();
  /** Ends each request in flight with an error. */
  readonly #inFlight = new Set<(error: unknown) => void>();

  constructor(address: NodeAddress, options: TransportOptions, listener: TransportListener) {
    this.address = address;
    this.#where = `The node at ${nodeAddressText(address)}`;
    this.#options = options;
    this.#listener = listener;
    const { Agent } = address.isTls ? https() : http;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.maxConnections, scheduling: 'lifo' });
  }

  /**
   * Sends `json` and gives the whole response, whatever its status. `method` is for the texts of errors only.
   * Rejects with a `NodeError` (`unreachable`, `timeout`, or `rpc` with the code of a too large response), or with the
   * reason of `signal`. `beforeRetry` is called before it is sent again because a kept connection was closed.
   */
  async post(
    method: string,
    json: string,
    authorization: string | undefined,
    signal: AbortSignal | undefined,
    beforeRetry?: () => Promise<void>,
  ): Promise<HttpResponse> {
    for (;;) {
      signal?.throwIfAborted();
      const attempt = this.#attempt(method, json, authorization, signal);
      try {
        return await attempt.response;
      } catch (error) {
        // Its socket tells that it is closed only after the next attempt has begun.
        if (isUnreachable(error)) this.#listener.disconnected();
        signal?.throwIfAborted();
        // The node may close idle connections at any time. A closed keep-alive connection says nothing about the node,
        // and each such attempt uses one up, so this ends.
        if (!attempt.onKeptConnection() || !isUnreachable(error)) throw error;
        await beforeRetry?.();
      }
    }
  }

  /** Ends all requests in flight with this error. */
  failAll(error: NodeError): void {
    for (const fail of [...this.#inFlight]) fail(error);
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  #attempt(method: string, json: string, authorization: string | undefined, signal: AbortSignal | undefined) {
    const { idleTimeoutMs, totalTimeoutMs, maxResponseBytes } = this.#options;
    const where = this.#where;
    const outgoing = (this.address.isTls ? https() : http).request({
      host: this.address.host,
      port: this.address.port,
      method: 'POST',
      path: this.address.path,
      agent: this.#agent,
      timeout: idleTimeoutMs,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(json),
        ...(authorization === undefined ? {} : { authorization }),
      },
    });
    const response = new Promise<HttpResponse>((resolve, reject) => {
      let isSettled = false;
      const fail = (error: unknown) => {
        if (isSettled) return;
        settle();
        reject(error);
        outgoing.destroy();
      };
      const abort = () => fail(signal?.reason);
      const timeout = (ms: number) => () =>
        fail(
          new NodeError(
            'timeout',
            `${where} did not answer ${method} within ${ms / 1000} s. Is it overloaded, or not a Mintlayer node?`,
          ),
        );
      const total = setTimeout(timeout(totalTimeoutMs), totalTimeoutMs);
      this.#inFlight.add(fail);
      const settle = () => {
        isSettled = true;
        this.#inFlight.delete(fail);
        clearTimeout(total);
        signal?.removeEventListener('abort', abort);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const broken = (error: NodeJS.ErrnoException) =>
        fail(new NodeError('unreachable', `${where} ${connectionErrorText(error)}`, { cause: error }));
      outgoing.on('socket', (socket) => this.#opened(socket));
      outgoing.on('timeout', timeout(idleTimeoutMs));
      outgoing.on('error', broken);
      // If there were no listener, the socket would be closed silently.
      outgoing.on('upgrade', (_, socket) => {
        socket.destroy();
        fail(
          new NodeError('malformed', `${where} answered ${method} by changing the protocol. Is it a Mintlayer node?`),
        );
      });
      outgoing.on('close', () =>
        fail(new NodeError('unreachable', `${where} closed the connection without an answer.`)),
      );
      outgoing.on('response', (incoming) => {
        this.#listener.heard();
        const body = new Body(incoming);
        incoming.on('error', broken);
        incoming.on('data', (chunk: Buffer) => {
          this.#listener.heard();
          if (body.length + chunk.length > maxResponseBytes) return fail(tooLarge(where, method, maxResponseBytes));
          body.add(chunk);
        });
        incoming.on('end', () => {
          settle();
          resolve({ status: incoming.statusCode ?? 0, body: body.bytes() });
        });
        if (body.announced > maxResponseBytes) fail(tooLarge(where, method, maxResponseBytes));
      });
      outgoing.end(json);
      this.#listener.asked();
    });
    return { response, onKeptConnection: () => outgoing.reusedSocket };
  }

  #opened(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#listener.disconnected());
  }
}

/**
 * Collects a body in a buffer of its own, so that it can be handed to a worker thread without copying. The chunks are not
 * kept: each of a single byte would take hundreds of bytes of memory.
 */
class Body {
  readonly announced: number;
  length = 0;
  #buffer = Buffer.alloc(0);

  constructor(incoming: IncomingMessage) {
    this.announced = Number(incoming.headers['content-length'] ?? 0);
  }

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    // Only now: what a server announces without sending must not cost memory.
    if (length > this.#buffer.length) this.#resize(Math.max(length, this.announced, 2 * this.#buffer.length));
    chunk.copy(this.#buffer, this.length);
    this.length = length;
  }

  bytes(): Buffer {
    if (this.length < this.#buffer.length) this.#resize(this.length);
    return this.#buffer;
  }

  #resize(size: number): void {
    const resized = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(resized, 0, 0, this.length);
    this.#buffer = resized;
  }
}

function tooLarge(where: string, method: string, limit: number): NodeError {
  const message = `${where} answered ${method} with more than ${limit} bytes, the limit set here; the rest was not read.`;
  return new NodeError('rpc', message, {
    rpc: { code: RPC_RESPONSE_TOO_LARGE, message: 'Response is too big', data: `Exceeded max limit of ${limit}` },
  });
}

function isUnreachable(error: unknown): boolean {
  return error instanceof NodeError && error.kind === 'unreachable';
}

/** Describes a connection error, which may combine several: one for each address of a host. */
export function connectionErrorText(error: NodeJS.ErrnoException): string {
  const code = error.code ?? (error as { errors?: NodeJS.ErrnoException[] }).errors?.[0]?.code;
  switch (code) {
    case 'ECONNREFUSED':
      return 'is not reachable: nothing listens there. Is the node running, and is --node-rpc-address right?';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'is not reachable: its host name is not known. Is --node-rpc-address right?';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return 'is not reachable over the network. Is --node-rpc-address right, and does a firewall let us through?';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'has a certificate of an unknown authority. Name the file of the authority in NODE_EXTRA_CA_CERTS.';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'closed the connection in the middle of a request. Was it stopped or restarted?';
    default:
      return `could not be asked: ${error.message || code || 'unknown failure of the connection'}`;
  }
}
