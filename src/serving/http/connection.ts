/**
 * A client's connection, with one request at a time: if a request arrives before the previous one is answered, the parser
 * stops, and the connection is closed after that response. The connection also counts the client's use of the shared
 * resources: who the caller is, and the unsent part of a response. It is closed if a request body comes in too many tiny pieces.
 */
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Caller, internalCaller } from '../resources/caller.ts';
import type { WebServerResources } from '../resources/create-resources.ts';
import type { Holding } from '../resources/reclaimable-holdings.ts';
import { AccessLog, type LoggedRequest } from './access-log.ts';
import { clientKeyOf } from './client-key.ts';
import { hasBody } from './headers.ts';
import { PacedWrites } from './paced-writes.ts';

/** The time for a client to take a response or a piece of one, and 1 ms more for this many bytes. */
export const PATIENCE_MS = 60_000;
export const SLOWEST_BYTES_PER_MS = 16;
const MAX_SENDING_MS = 15 * 60_000;
/** The approximate size of a response's headers. */
const HEADER_BYTES = 1_024;
/** The time for a client to read the end of its last response. */
const LINGER_MS = 2_000;
/** The most bytes that a client may send after an early request. */
const LINGER_BYTES = 1024 * 1024;
/** A request body may come in this many pieces of any size. */
const FREE_PIECES = 256;
/** The least mean size if there are more: Node makes a buffer for each piece, which takes 200 to 340 bytes of memory. */
const MIN_MEAN_PIECE_BYTES = 64;

export interface ConnectionOptions {
  readonly resources: Pick<WebServerResources, 'unsent_bytes' | 'compressions' | 'connections' | 'weightOf'>;
  /** How many proxies clients come through; see `addressOf` in `client-key.ts`. */
  readonly trustedProxies: number;
  /** Null: requests are not logged. */
  readonly accessLog: ((request: LoggedRequest) => void) | null;
  /** Responds to a request. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The connections of a server. */
export class Connections {
  readonly options: ConnectionOptions;
  readonly largeWrites: PacedWrites;
  readonly open = new Set<Connection>();
  /** Is the server stopping? Then each response is the last one of its connection. */
  isStopping = false;
  /** The number of connections closed because their clients took responses too slowly. */
  late = 0;
  /** The number of connections closed because a body came in too many tiny pieces. */
  fragmented = 0;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.largeWrites = new PacedWrites(options.resources.weightOf);
  }

  /** The handler of Node's event "connection". */
  readonly onConnection = (socket: Socket): void => void new Connection(socket, this);

  /** The handler of Node's event "request". */
  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    connectionOf(request.socket)?.take(request, response);

  /** Does what Node's `closeAllConnections` does, also for the connections that have lost their parser: Node does not know them. */
  cutAll(): void {
    for (const connection of [...this.open]) connection.cut();
  }
}

const CONNECTION = Symbol('connection');
type ClientSocket = Socket & { [CONNECTION]?: Connection };

/** The connection of a socket; undefined on servers without {@link Connection}s. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ClientSocket)[CONNECTION];
}

/** Returns the caller of a request. */
export function callerOf({ socket }: IncomingMessage): Caller {
  return connectionOf(socket)?.caller ?? internalCaller();
}

/** Counts the part of a response that the client did not take at once. To be called when the response was given to Node. */
export function countUnsentBytes(response: ServerResponse, body: string | Buffer): void {
  if (response.writableLength > 0) connectionOf(response.req.socket)?.onUnsent(response, body);
}

/** Do routes read the bodies of requests with this method? Other bodies are dropped as they arrive. */
export function isBodyRead(method: string | undefined): boolean {
  return method === 'POST';
}

export class Connection {
  readonly #socket: ClientSocket;
  readonly #host: Connections;
  readonly #remoteAddress: string;
  /** The memory of the connection, in the account of its remote address, which may be a proxy's. */
  readonly #holding: Holding;
  /** The response in progress, until the client has taken it. */
  #response: ServerResponse | null = null;
  /** The caller of the response; created at first use. */
  #caller: Caller | null = null;
  readonly #goneListeners = new Set<() => void>();
  #unsent: Holding | null = null;
  /** Ends the connection of a client that takes its response too slowly. */
  #lateTimer: NodeJS.Timeout | undefined;
  /** The pieces of the request's body so far, and their bytes. */
  #pieces = 0;
  #pieceBytes = 0;
  readonly #log: AccessLog | null;
  #isStream = false;
  /** Is the connection closed after the response in progress? */
  #isLast = false;
  #isGone = false;

  constructor(socket: Socket, host: Connections) {
    this.#socket = socket;
    this.#host = host;
    this.#remoteAddress = socket.remoteAddress ?? '';
    this.#socket[CONNECTION] = this;
    const { accessLog, trustedProxies } = host.options;
    this.#log = accessLog && new AccessLog(socket, this.#remoteAddress, trustedProxies, accessLog);
    stopPipeline(
      socket,
      () => this.#response !== null,
      () => this.#onEarlyRequest(),
    );
    socket.once('close', () => this.#onClose());
    this.#holding = {
      client: clientKeyOf({ rawHeaders: [] }, this.#remoteAddress, 0),
      amount: 1,
      takeBack: () => this.cut(),
    };
    host.open.add(this);
    host.options.resources.connections.add(this.#holding);
  }

  /** The caller of the response in progress. Behind a proxy, the next one may be another client's. */
  get caller(): Caller {
    this.#caller ??= this.#callerOf(this.#response);
    return this.#caller;
  }

  #callerOf(response: ServerResponse | null): Caller {
    const { trustedProxies } = this.#host.options;
    const isDirect = response === null || trustedProxies === 0;
    const connection = this;
    return {
      client: isDirect ? this.#holding.client : clientKeyOf(response.req, this.#remoteAddress, trustedProxies),
      get isGone() {
        return connection.#isGone;
      },
      onGone: (listener) => this.#goneListeners.add(listener),
      offGone: (listener) => this.#goneListeners.delete(listener),
    };
  }

  get resources(): ConnectionOptions['resources'] {
    return this.#host.options.resources;
  }

  get largeWrites(): PacedWrites {
    return this.#host.largeWrites;
  }

  /** Answers a request, by the function of the host unless another one is given. */
  take(request: IncomingMessage, response: ServerResponse, serve = this.#host.options.serve): void {
    if (this.#isGone || this.#isLast) return;
    this.#response = response;
    this.#caller = null;
    this.#pieces = 0;
    this.#pieceBytes = 0;
    this.#log?.begin();
    if (this.#host.isStopping) response.shouldKeepAlive = false;
    serve(request, response);
  }

  /** Counts a piece of the request's body. False if there are too many tiny ones; the connection is then cut. */
  countPiece(bytes: number): boolean {
    this.#pieces++;
    this.#pieceBytes += bytes;
    if (this.#pieces <= FREE_PIECES || this.#pieceBytes >= this.#pieces * MIN_MEAN_PIECE_BYTES) return true;
    if (!this.#isGone) {
      this.#host.fragmented++;
      this.cut();
    }
    return false;
  }

  /** Marks the response in progress as endless: no other response can follow. */
  becomeStream(): void {
    this.#isStream = true;
  }

  /** See {@link countUnsentBytes}. */
  onUnsent(response: ServerResponse, body: string | Buffer): void {
    if (this.#isGone || this.#unsent !== null || response !== this.#response) return;
    const isShared = typeof body !== 'string' && response.req.method !== 'HEAD';
    this.#unsent = {
      client: this.caller.client,
      amount: isShared ? HEADER_BYTES : Math.min(response.writableLength, body.length + HEADER_BYTES),
      shared: isShared ? body : null,
      takeBack: () => this.cut(),
    };
    const patienceMs = PATIENCE_MS + body.length / SLOWEST_BYTES_PER_MS;
    this.#lateTimer = setTimeout(() => this.#onLate(), Math.min(patienceMs, MAX_SENDING_MS)).unref();
    this.resources.unsent_bytes.add(this.#unsent);
  }

  #onLate(): void {
    this.#host.late++;
    this.cut();
  }

  /** Called when the client has taken the whole response. */
  onTaken(): void {
    this.#log?.end(this.#response?.req, this.#response?.statusCode ?? null);
    this.#response = null;
    if (this.#unsent !== null) this.#endUnsent();
    if (!this.#isLast) return;
    this.#socket.end();
    this.#linger();
  }

  /**
   * Refuses unparsable bytes by sending `refusal`. They may be the rest of the request in progress, which then gets no other
   * response; if the request in progress is complete, the bytes are dropped without a response.
   */
  refuse(refusal: string): void {
    const response = this.#response;
    if (this.#isGone || this.#isLast) return;
    if (response === null || (!response.req.complete && !response.headersSent)) {
      this.#isLast = true;
      this.#log?.begin();
      this.#socket.end(refusal);
      this.#log?.end(response?.req, Number(refusal.split(' ', 2)[1]));
      this.#linger();
    } else this.#onEarlyRequest();
  }

  /** Destroys the connection. */
  cut(): void {
    this.#socket.destroy();
    this.#onClose();
  }

  #onEarlyRequest(): void {
    if (this.#isGone) return;
    const response = this.#response;
    if (response === null || this.#isStream) {
      this.cut();
      return;
    }
    this.#isLast = true;
    if (!response.headersSent) response.shouldKeepAlive = false;
    // Node would close the connection at once after a last response: the part that the client has not read could be
    // lost.
    this.#socket.destroySoon = () => {};
    this.#drop();
  }

  /** Reads and drops further data, so that the end of the connection is noticed. */
  #drop(): void {
    const readBefore = this.#socket.bytesRead;
    this.#socket.on('data', () => {
      if (this.#socket.bytesRead - readBefore > LINGER_BYTES) this.cut();
    });
    this.#socket.once('end', () => {
      if (this.#response?.headersSent === false) this.cut();
    });
    this.#socket.resume();
  }

  #linger(): void {
    setTimeout(() => this.cut(), LINGER_MS).unref();
  }

  #endUnsent(): void {
    clearTimeout(this.#lateTimer);
    this.resources.unsent_bytes.remove(this.#unsent!);
    this.#unsent = null;
  }

  #onClose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const response = this.#response;
    this.#log?.end(response?.req, response?.headersSent ? response.statusCode : null, { aborted: true });
    this.resources.connections.remove(this.#holding);
    if (this.#unsent !== null) this.#endUnsent();
    this.#host.open.delete(this);
    for (const listener of [...this.#goneListeners]) listener();
  }
}

/**
 * A request that counts the pieces of its body: chunks, or what a read of the connection returned. A listener for 'data'
 * would not see them while the body is paused or nobody reads it, and Node keeps up to 64 kB then: 65,536 pieces.
 */
export class PieceCountingRequest extends IncomingMessage {
  /** Node calls it with each piece when it was parsed, and with null at the end. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(null);
    if (connectionOf(this.socket)?.countPiece(piece.length) === false) return false;
    return isBodyRead(this.method) ? super.push(piece) : true;
  }
}

/** A response that notes when its client has taken it. A listener for each response would add half a microsecond. */
export class UnsentTrackingResponse extends ServerResponse {
  /** Reads the rest of the request body so that it is counted: Node would drop it uncounted. */
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const { req } = this;
    if (!req.complete && hasBody(req)) req.resume();
    return super.end(chunk, encoding as BufferEncoding, callback as () => void);
  }

  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    connectionOf(socket)?.onTaken();
  }
}

/** The return value by which a parser reads the end of this request, and nothing that follows. */
const STOP_AFTER_REQUEST = 2;

/** A request in Node's parser. */
type ParsedRequest = IncomingMessage & { upgrade: boolean };

interface ParsedSocket {
  /** Node's parser of this socket, while it has one. */
  readonly parser?: { onIncoming: ((request: ParsedRequest, keepAlive: boolean) => number) | null } | null;
  readonly server?: Server;
}

/**
 * Calls `onStopped` at the first request for which `isEarly` returns true: one that comes before the response to the previous one
 * is sent. That request is not started, and the socket has no parser any more. Node would parse everything that one read returns,
 * up to 64 kB or a thousand pipelined requests, before anything else runs; with 150 such connections all other clients wait for
 * two seconds. docs/decisions/parser-stop.md has the reasons.
 *
 * Node offers no function for this, so the request is made to look like an `Upgrade`: after one, Node leaves the socket and passes
 * the unparsed rest to the event 'upgrade', or 'connect' if the method is `CONNECT`.
 */
export function stopPipeline(socket: Socket, isEarly: () => boolean, onStopped: () => void): void {
  const { parser, server } = socket as unknown as ParsedSocket;
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming || server === undefined) return;
  parser.onIncoming = (request, keepAlive) => {
    if (!isEarly()) return onIncoming(request, keepAlive);
    request.upgrade = true;
    // Emitted before anything else runs, so no other connection can come in between.
    server.once(request.method === 'CONNECT' ? 'connect' : 'upgrade', () => {
      // Node has left the socket, and no longer handles its errors.
      socket.on('error', () => socket.destroy());
      onStopped();
    });
    return STOP_AFTER_REQUEST;
  };
}
