import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ChainSource } from './chain-source.ts';
import { Gatekeeper, type RpcAuth } from './rpc-auth.ts';
import { errorAnswer, RpcError, requestTooLarge, unauthorized } from './rpc-error.ts';
import type { Fault, FaultHook } from './rpc-faults.ts';
import { answerBytes, json, plain, readBody, refuse, refuseUpgrade, truncate } from './rpc-http.ts';
import type { RpcContext } from './rpc-methods.ts';
import { answer, methodOf } from './rpc-protocol.ts';
import { Subscriptions } from './rpc-subscriptions.ts';

export interface RpcServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly auth?: RpcAuth;
  /** What `node_version` says. */
  readonly version?: string;
  /** Default 10 MiB each, as the node has it. */
  readonly maxRequestBytes?: number;
  readonly maxResponseBytes?: number;
  readonly faults?: FaultHook;
}

const MEBIBYTE = 1024 * 1024;
/** The node's limit (docs/protocol.md#rpc-transport). */
const MAX_CONNECTIONS = 100;
/** A client that lets more than this pile up does not listen. */
const MAX_UNSENT_BYTES = 64 * MEBIBYTE;
const PING_MS = 30_000;
const JSON_TYPES = /^application\/json(?:-rpc)?\s*(?:;\s*charset=utf-8\s*)?$/i;

/**
 * Serves a chain as the node's JSON-RPC: HTTP and WebSocket on one port (docs/protocol.md#node-rpc).
 * Rejects with a clear message if the port is in use or the cookie cannot be written.
 */
export async function serveRpc(chain: ChainSource, options: RpcServerOptions = {}): Promise<RpcServer> {
  const gatekeeper = await Gatekeeper.open(options.auth ?? { type: 'none' });
  const server = new RpcServer(chain, gatekeeper, options);
  try {
    await server.listen(options.host ?? '127.0.0.1', options.port ?? 0);
  } catch (error) {
    await gatekeeper.close();
    throw error;
  }
  return server;
}

/** A running server: see `serveRpc`. */
export class RpcServer {
  readonly #chain: ChainSource;
  readonly #context: RpcContext;
  readonly #gatekeeper: Gatekeeper;
  readonly #maxRequestBytes: number;
  readonly #faults: FaultHook | undefined;
  readonly #http: Server;
  readonly #webSockets: WebSocketServer;
  readonly #alive = new WeakSet<WebSocket>();
  #pings: NodeJS.Timeout | undefined;
  #messages = 0;

  constructor(chain: ChainSource, gatekeeper: Gatekeeper, options: RpcServerOptions) {
    this.#chain = chain;
    this.#gatekeeper = gatekeeper;
    this.#context = {
      chain,
      version: options.version ?? '1.4.0+devnet',
      maxResponseBytes: options.maxResponseBytes ?? 10 * MEBIBYTE,
    };
    this.#maxRequestBytes = options.maxRequestBytes ?? 10 * MEBIBYTE;
    this.#faults = options.faults;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      maxPayload: this.#maxRequestBytes,
      perMessageDeflate: false,
    });
    this.#http = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
      this.#onRequest(request, response).catch(() => response.destroy());
    });
    this.#http.maxConnections = MAX_CONNECTIONS;
    this.#http.on('upgrade', (request, socket, head) => {
      this.#onUpgrade(request, socket, head).catch(() => socket.destroy());
    });
  }

  /** Called by `serveRpc`. */
  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
      this.#http.once('error', fail);
      this.#http.listen({ host, port }, () => {
        this.#http.off('error', fail);
        // From here on an error is one of a connection that could not be accepted; the next one may be.
        this.#http.on('error', () => {});
        this.#pings = setInterval(() => this.#ping(), PING_MS);
        this.#pings.unref();
        resolve();
      });
    });
  }

  /** `host:port` with the port that was taken. */
  get address(): string {
    const { address, family, port } = this.#http.address() as AddressInfo;
    return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** How many messages came in so far. */
  get messages(): number {
    return this.#messages;
  }

  /** How many WebSocket connections there are. */
  get webSockets(): number {
    return this.#webSockets.clients.size;
  }

  /** As at a restart of the node: all connections break, a cookie gets a new password. */
  async restart(): Promise<void> {
    await this.#gatekeeper.renew();
    this.dropConnections();
  }

  dropConnections(): void {
    for (const socket of this.#webSockets.clients) socket.terminate();
    this.#http.closeAllConnections();
  }

  /** Ends everything and removes the cookie. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.dropConnections();
    this.#webSockets.close();
    await closed;
    await this.#gatekeeper.close();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    response.on('error', () => {});
    const { authorization, 'content-type': contentType = '' } = request.headers;
    switch (this.#gatekeeper.judge(authorization)) {
      case 'malformed':
        return plain(request, response, 400, 'The Authorization header is not one of Basic authentication.\n');
      case 'unauthorized':
        return refuse(request, response);
      case 'ok':
    }
    if (request.method !== 'POST')
      return plain(request, response, 405, 'Only POST is served here.\n', { allow: 'POST' });
    if (!JSON_TYPES.test(contentType))
      return plain(request, response, 415, 'The Content-Type must be application/json.\n');
    const body = await readBody(request, this.#maxRequestBytes);
    if (body === undefined) {
      response.shouldKeepAlive = false;
      return json(response, 413, { text: errorAnswer(null, requestTooLarge(this.#maxRequestBytes)), ascii: false });
    }
    const message = body.toString('utf8');
    const fault = await this.#faultOf(methodOf(message), 'http');
    switch (fault?.type) {
      case 'drop':
        return void request.socket.destroy();
      case 'garbage':
        return plain(request, response, 200, fault.text);
      case 'unauthorized':
        return refuse(request, response);
      case 'truncate':
        return truncate(request, response, answer(this.#context, message));
      case 'status':
        return plain(request, response, fault.status, 'What is behind this gateway is away.\n');
      case 'rpc':
        return json(response, 200, { text: faultAnswer(message, fault), ascii: false });
      case 'delay':
      case undefined:
    }
    json(response, 200, answer(this.#context, message) ?? { text: '', ascii: true });
  }

  async #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {});
    const verdict = this.#gatekeeper.judge(request.headers.authorization);
    const fault = await this.#faultOf('upgrade', 'websocket');
    if (verdict === 'malformed') return refuseUpgrade(socket, '400 Bad Request', '');
    if (verdict === 'unauthorized' || fault?.type === 'unauthorized')
      return refuseUpgrade(socket, '401 Unauthorized', errorAnswer(null, unauthorized()));
    if (fault !== undefined && fault.type !== 'delay') return void socket.destroy();
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#onConnection(webSocket));
  }

  #onConnection(socket: WebSocket): void {
    const send = (text: string | Buffer) => {
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate();
      socket.send(text, { binary: false }, () => {});
    };
    const subscriptions = new Subscriptions(this.#chain, send);
    this.#alive.add(socket);
    socket.on('pong', () => this.#alive.add(socket));
    socket.on('close', () => subscriptions.close());
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      this.#onMessage(socket, String(data), subscriptions, send).catch(() => socket.terminate());
    });
  }

  async #onMessage(
    socket: WebSocket,
    message: string,
    subscriptions: Subscriptions,
    send: (text: string | Buffer) => void,
  ): Promise<void> {
    const fault = await this.#faultOf(methodOf(message), 'websocket');
    switch (fault?.type) {
      case 'drop':
      case 'truncate':
      case 'unauthorized':
      case 'status':
        return socket.terminate();
      case 'garbage':
        return send(fault.text);
      case 'rpc':
        return send(faultAnswer(message, fault));
      case 'delay':
      case undefined:
    }
    const text = answer(this.#context, message, subscriptions.methods);
    if (text !== undefined) send(answerBytes(text));
  }

  /** Counts the message; a delay is waited for here. */
  async #faultOf(method: string, transport: 'http' | 'websocket'): Promise<Fault | undefined> {
    this.#messages++;
    const fault = this.#faults?.({ method, transport, number: this.#messages });
    if (fault?.type === 'delay') await sleep(fault.ms, undefined, { ref: false });
    return fault;
  }

  #ping(): void {
    for (const socket of this.#webSockets.clients) {
      if (!this.#alive.delete(socket)) socket.terminate();
      else socket.ping(() => {});
    }
  }
}

function faultAnswer(message: string, fault: { readonly code: number; readonly message: string }): string {
  const id = /"id"\s*:\s*(\d+)/.exec(message)?.[1];
  return errorAnswer(id === undefined ? null : Number(id), new RpcError(fault.code, fault.message));
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const where = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(
        `${where} is in use already. Stop what listens there, or give another address with --rpc-bind-address.`,
        { cause: error },
      );
    case 'EACCES':
      return new Error(`${where} may not be used by this user. Give another address with --rpc-bind-address.`, {
        cause: error,
      });
    default:
      return new Error(`Cannot listen on ${where}: ${error.message}. Check --rpc-bind-address.`, { cause: error });
  }
}
