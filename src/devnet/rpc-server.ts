import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { OperatorError } from '../errors/operator-error.ts';
import { type RpcAuth, RpcAuthenticator } from './rpc-authentication.ts';
import { rpcErrorResponse, rpcRequestTooLarge, rpcUnauthorized } from './rpc-error.ts';
import type { RpcContext } from './rpc-methods.ts';
import { type ConnectionRpcMethods, type RpcResponseText, respondToRpc } from './rpc-protocol.ts';
import { Subscriptions } from './rpc-subscriptions.ts';
import type { ServedNode } from './served-node-interface.ts';

export interface RpcServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly auth?: RpcAuth;
  /** The result of `node_version`. */
  readonly version?: string;
  /** Default 10 MiB each, as the node has it. */
  readonly maxRequestBytes?: number;
  readonly maxResponseBytes?: number;
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
 * Rejects with an OperatorError if the port is in use or the cookie cannot be written.
 */
export async function serveRpc(chain: ServedNode, options: RpcServerOptions = {}): Promise<RpcServer> {
  return new RpcServer(chain, await RpcAuthenticator.open(options.auth ?? { type: 'none' }), options).listen();
}

/** A running server: see `serveRpc`. */
export class RpcServer {
  readonly #context: RpcContext;
  readonly #authenticator: RpcAuthenticator;
  readonly #options: RpcServerOptions;
  readonly #maxRequestBytes: number;
  readonly #http: Server;
  readonly #webSockets: WebSocketServer;
  readonly #alive = new WeakSet<WebSocket>();
  #pings: NodeJS.Timeout | undefined;
  #messages = 0;

  constructor(chain: ServedNode, authenticator: RpcAuthenticator, options: RpcServerOptions) {
    this.#authenticator = authenticator;
    this.#options = options;
    this.#context = {
      chain,
      version: options.version ?? '1.4.0+devnet',
      maxResponseBytes: options.maxResponseBytes ?? 10 * MEBIBYTE,
    };
    this.#maxRequestBytes = options.maxRequestBytes ?? 10 * MEBIBYTE;
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
      this.#messages++;
      socket.on('error', () => {});
      this.upgrade(request, socket, head).catch(() => socket.destroy());
    });
  }

  /** Called by `serveRpc`. */
  async listen(): Promise<this> {
    const { host = '127.0.0.1', port = 0 } = this.#options;
    try {
      await once(this.#http.listen({ host, port }), 'listening');
    } catch (error) {
      await this.#authenticator.close();
      throw listenError(error as NodeJS.ErrnoException, host, port);
    }
    // Later errors are of connections that could not be accepted; the next one may be.
    this.#http.on('error', () => {});
    this.#pings = setInterval(() => this.#ping(), PING_MS).unref();
    return this;
  }

  /** `host:port` with the port that was taken. */
  get address(): string {
    const { address, family, port } = this.#http.address() as AddressInfo;
    return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** The number of messages received so far. */
  get messages(): number {
    return this.#messages;
  }

  /** The number of WebSocket connections. */
  get webSockets(): number {
    return this.#webSockets.clients.size;
  }

  /** Imitates a restart of the node: all connections break, a cookie gets a new password. */
  async restart(): Promise<void> {
    await this.#authenticator.renew();
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
    await this.#authenticator.close();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    response.on('error', () => {});
    const { authorization, 'content-type': contentType = '' } = request.headers;
    switch (this.#authenticator.judge(authorization)) {
      case 'malformed':
        return sendPlainText(request, response, 400, 'The Authorization header is not one of Basic authentication.\n');
      case 'unauthorized':
        return sendUnauthorized(request, response);
      case 'ok':
    }
    if (request.method !== 'POST')
      return sendPlainText(request, response, 405, 'Only POST is served here.\n', { allow: 'POST' });
    if (!JSON_TYPES.test(contentType))
      return sendPlainText(request, response, 415, 'The Content-Type must be application/json.\n');
    const body = await readBody(request, this.#maxRequestBytes);
    if (body === undefined) {
      response.shouldKeepAlive = false;
      const text = rpcErrorResponse(null, rpcRequestTooLarge(this.#maxRequestBytes));
      return sendJson(response, 413, { text, ascii: true });
    }
    this.#messages++;
    await this.respond(request, response, body.toString('utf8'));
  }

  /** Responds to a message over HTTP. */
  protected async respond(_request: IncomingMessage, response: ServerResponse, message: string): Promise<void> {
    sendJson(response, 200, this.answer(message) ?? { text: '', ascii: true });
  }

  protected answer(message: string, methods?: ConnectionRpcMethods): RpcResponseText | undefined {
    return respondToRpc(this.#context, message, methods);
  }

  /** Makes a connection one of WebSocket. */
  protected async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const verdict = this.#authenticator.judge(request.headers.authorization);
    if (verdict === 'malformed') return refuseUpgrade(socket, '400 Bad Request', '');
    if (verdict === 'unauthorized') {
      return refuseUpgrade(socket, '401 Unauthorized', rpcErrorResponse(null, rpcUnauthorized()));
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#onConnection(webSocket));
  }

  #onConnection(socket: WebSocket): void {
    const send = (text: string | Buffer) => {
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate();
      socket.send(text, { binary: false }, () => {});
    };
    const subscriptions = new Subscriptions(this.#context.chain, send);
    this.#alive.add(socket);
    socket.on('pong', () => this.#alive.add(socket));
    socket.on('close', () => subscriptions.close());
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      this.#messages++;
      this.respondOverSocket(socket, String(data), subscriptions.methods, send).catch(() => socket.terminate());
    });
  }

  /** Responds to a message of a WebSocket connection, which has methods of its own. */
  protected async respondOverSocket(
    _socket: WebSocket,
    message: string,
    methods: ConnectionRpcMethods,
    send: (text: string | Buffer) => void,
  ): Promise<void> {
    const text = this.answer(message, methods);
    if (text !== undefined) send(responseBytes(text));
  }

  #ping(): void {
    for (const socket of this.#webSockets.clients) {
      if (!this.#alive.delete(socket)) socket.terminate();
      else socket.ping(() => {});
    }
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const where = `${host}:${port}`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `${where} is in use already. Stop what listens there, or give another address with --rpc-bind-address.`,
    EACCES: `${where} may not be used by this user. Give another address with --rpc-bind-address.`,
  };
  const reason = reasons[error.code ?? ''] ?? `Cannot listen on ${where}: ${error.message}. Check --rpc-bind-address.`;
  return new OperatorError(reason, { cause: error });
}

/** The body, undefined when it is larger than `limit`; the rest is then not read. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The answer as it goes over the wire. */
export const responseBytes = ({ text, ascii }: RpcResponseText) => Buffer.from(text, ascii ? 'latin1' : 'utf8');

/** Ends the response with an answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  text: RpcResponseText,
  headers: Record<string, string> = {},
): void {
  const body = responseBytes(text);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...headers,
  });
  response.end(body);
}

/** Ends the response with a plain text, whatever the request's body is. */
export function sendPlainText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  request.resume();
  response.writeHead(status, { 'content-type': 'text/plain', ...headers });
  response.end(text);
}

/** Status 401 (docs/protocol.md#rpc-authentication). */
export function sendUnauthorized(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const text = rpcErrorResponse(null, rpcUnauthorized());
  sendJson(response, 401, { text, ascii: true }, { 'www-authenticate': 'Basic' });
}

/** Ends a connection that wanted to become a WebSocket; `status` is code and phrase. */
export function refuseUpgrade(socket: Duplex, status: string, body: string): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nWWW-Authenticate: Basic\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}
