/**
 * One client's connection. It has one request at a time: behind one that comes before its predecessor is answered the parser
 * stops, and the connection is closed after the response in progress. It is also the client's side of the shared
 * resources: on whose behalf a request is answered, and what the client has not taken of its response.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Holding } from '../../resources/holdings.ts';
import { type Caller, internalCaller } from '../../resources/shared-resources.ts';
import type { WebServerResources } from '../../resources/web-server-resources.ts';
import { PacedWrites } from './paced-writes.ts';
import { stopPipeline } from './pipeline-stop.ts';

/** A response has to be taken within this time, and more for large ones, at this pace. */
const MIN_SENDING_MS = 60_000;
const MAX_SENDING_MS = 15 * 60_000;
const SLOWEST_BYTES_PER_MS = 16;
/** The headers of a response, about. */
const HEADER_BYTES = 1_024;
/** How long a client may take to read the end of its last response, and how much more it may send meanwhile. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 1024 * 1024;

/** What all connections of a server have in common. */
export interface ConnectionHost {
  readonly resources: Pick<WebServerResources, 'unsent_bytes' | 'compressions' | 'connections' | 'weightOf'>;
  readonly largeWrites: PacedWrites;
  /** How many proxies clients come through; see {@link clientAddressOf}. */
  readonly trustedProxies: number;
  /** Answers a request. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** The client has not taken its response at once, or has now. */
  onSlow(connection: Connection, isSlow: boolean): void;
  /** The connection has no parser any more. */
  onStopped(connection: Connection): void;
  onClosed(connection: Connection): void;
}

const CONNECTION = Symbol('connection');
type ClientSocket = Socket & { [CONNECTION]?: Connection };

/** The connection of a socket; undefined on servers without {@link Connection}s. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as ClientSocket)[CONNECTION];
}

/** On whose behalf a request is answered. */
export function callerOf({ socket }: IncomingMessage): Caller {
  return connectionOf(socket)?.caller ?? internalCaller();
}

/** To be called when a response was given to Node: counts what the client has not taken at once. */
export function noteUnsent(response: ServerResponse, body: string | Buffer): void {
  if (response.writableLength > 0) connectionOf(response.req.socket)?.onUnsent(response, body);
}

/** A response that says when its client has taken it. A listener for each response would cost a hot one half a microsecond. */
export class CountedResponse extends ServerResponse {
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    connectionOf(socket)?.onTaken();
  }
}

export class Connection {
  readonly #socket: ClientSocket;
  readonly #host: ConnectionHost;
  readonly #remoteAddress: string;
  /** In the account of the address that the connection comes from, which may be a proxy's. */
  readonly #holding: Holding;
  /** The response in progress, until the client has taken it. */
  #response: ServerResponse | null = null;
  /** On whose behalf the response is made; created at first use. */
  #caller: Caller | null = null;
  readonly #goneListeners = new Set<() => void>();
  #unsent: Holding | null = null;
  /** By when the response has to be taken, by `performance.now()`. */
  #deadline = Number.POSITIVE_INFINITY;
  #isStream = false;
  /** Closed when the response in progress is taken. */
  #isLast = false;
  #isGone = false;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.#remoteAddress = socket.remoteAddress ?? '';
    this.#socket[CONNECTION] = this;
    stopPipeline(
      socket,
      () => this.#response !== null,
      () => this.#onEarlyRequest(),
    );
    socket.once('close', () => this.#onClose());
    this.#holding = {
      client: clientAddressOf({ rawHeaders: [] }, this.#remoteAddress, 0),
      amount: 1,
      takeBack: () => this.cut(),
    };
    host.resources.connections.add(this.#holding);
  }

  /** On whose behalf the response in progress is made; behind a proxy the next one may be another client's. */
  get caller(): Caller {
    this.#caller ??= this.#callerOf(this.#response);
    return this.#caller;
  }

  #callerOf(response: ServerResponse | null): Caller {
    const { trustedProxies } = this.#host;
    const isDirect = response === null || trustedProxies === 0;
    const connection = this;
    return {
      client: isDirect ? this.#holding.client : clientAddressOf(response.req, this.#remoteAddress, trustedProxies),
      get isGone() {
        return connection.#isGone;
      },
      onGone: (listener) => this.#goneListeners.add(listener),
      offGone: (listener) => this.#goneListeners.delete(listener),
    };
  }

  get resources(): ConnectionHost['resources'] {
    return this.#host.resources;
  }

  get largeWrites(): PacedWrites {
    return this.#host.largeWrites;
  }

  /** Answers a request. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isGone || this.#isLast) return;
    this.#response = response;
    this.#caller = null;
    this.#host.serve(request, response);
  }

  /** The response in progress has no end: nothing can be answered after it. */
  becomeStream(): void {
    this.#isStream = true;
  }

  /** See {@link noteUnsent}. */
  onUnsent(response: ServerResponse, body: string | Buffer): void {
    if (this.#isGone || this.#unsent !== null || response !== this.#response) return;
    const isShared = typeof body !== 'string' && response.req.method !== 'HEAD';
    this.#unsent = {
      client: this.caller.client,
      amount: isShared ? HEADER_BYTES : Math.min(response.writableLength, body.length + HEADER_BYTES),
      shared: isShared ? body : null,
      takeBack: () => this.cut(),
    };
    const patienceMs = MIN_SENDING_MS + body.length / SLOWEST_BYTES_PER_MS;
    this.#deadline = performance.now() + Math.min(patienceMs, MAX_SENDING_MS);
    this.#host.onSlow(this, true);
    this.#host.resources.unsent_bytes.add(this.#unsent);
  }

  /** Does the client take its response too slowly? */
  isLate(now: number): boolean {
    return this.#deadline < now;
  }

  /** The response was taken to its end. */
  onTaken(): void {
    this.#response = null;
    if (this.#unsent !== null) this.#endUnsent();
    if (this.#isLast) this.#close();
  }

  /**
   * Refuses, with these bytes, what could not be read as a request. It may be the rest of the request in progress, which then
   * gets no other response; behind a whole one it is not even refused.
   */
  refuse(refusal: string): void {
    const response = this.#response;
    if (this.#isGone || this.#isLast) return;
    if (response === null || (!response.req.complete && !response.headersSent)) {
      this.#isLast = true;
      this.#socket.end(refusal);
      this.#linger();
    } else this.#onEarlyRequest();
  }

  /** Breaks the connection off. */
  cut(): void {
    this.#socket.destroy();
    this.#onClose();
  }

  #onEarlyRequest(): void {
    const response = this.#response;
    this.#host.onStopped(this);
    if (response === null || this.#isStream) {
      this.cut();
      return;
    }
    this.#isLast = true;
    if (!response.headersSent) response.shouldKeepAlive = false;
    // Node would close the connection at once after a last response: what the client has not read of it may be lost then.
    this.#socket.destroySoon = () => {};
    this.#drop();
  }

  /** What still comes is read, so that the end of the connection is seen, and dropped. */
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

  #close(): void {
    this.#socket.end();
    this.#linger();
  }

  #linger(): void {
    setTimeout(() => this.cut(), LINGER_MS).unref();
  }

  #endUnsent(): void {
    this.#host.resources.unsent_bytes.remove(this.#unsent!);
    this.#unsent = null;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#host.onSlow(this, false);
  }

  #onClose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#host.resources.connections.remove(this.#holding);
    if (this.#unsent !== null) this.#endUnsent();
    this.#host.onClosed(this);
    for (const listener of [...this.#goneListeners]) listener();
  }
}

/** A proxy that writes more than an address does not grow our tables with it. */
const MAX_ADDRESS_LENGTH = 64;
const FORWARDED_FOR = 'x-forwarded-for';

/**
 * Names the client of a request: the address that the connection comes from, of IPv6 the network of 64 bits, which belongs
 * to one customer. Behind trusted proxies, each of which appends the address that its connection comes from to
 * `x-forwarded-for`, it is the entry that the outermost of them has appended: with N proxies the N-th from the end. Where there
 * are fewer entries it is the first.
 */
export function clientAddressOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  remoteAddress: string,
  trustedProxies: number,
): string {
  if (trustedProxies === 0) return clientNetwork(remoteAddress);
  const entries: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === FORWARDED_FOR) entries.push(...rawHeaders[i + 1]!.split(','));
  }
  const forwarded = entries.at(-Math.min(trustedProxies, entries.length))?.trim() ?? '';
  return clientNetwork(forwarded === '' ? remoteAddress : forwarded.slice(0, MAX_ADDRESS_LENGTH));
}

/** An address as a client is known by: IPv4 whole, IPv6 its first 64 bits. */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const bare = address.replace(/^\[|\](:\d+)?$|%.*$/g, '');
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::', 2);
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: middle }, () => '0'), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const LOOK_AFTER_MS = 1_000;

export class Connections implements ConnectionHost {
  readonly resources: ConnectionHost['resources'];
  readonly largeWrites: PacedWrites;
  readonly serve: ConnectionHost['serve'];
  readonly trustedProxies: number;
  readonly #slow = new Set<Connection>();
  /** Those that Node has no parser for, and does not know any more. */
  readonly #stopped = new Set<Connection>();
  readonly #looking: NodeJS.Timeout;
  #late = 0;

  /** `serve` is called with each request. */
  constructor({ resources, serve, trustedProxies }: Pick<ConnectionHost, 'resources' | 'serve' | 'trustedProxies'>) {
    this.resources = resources;
    this.largeWrites = new PacedWrites(resources.weightOf);
    this.serve = serve;
    this.trustedProxies = trustedProxies;
    this.#looking = setInterval(() => this.#lookAfter(), LOOK_AFTER_MS).unref();
  }

  /** Number of connections closed because their clients took responses too slowly. */
  get late(): number {
    return this.#late;
  }

  /** For Node's event "connection". */
  readonly onConnection = (socket: Socket): void => {
    new Connection(socket, this);
  };

  /** For Node's event "request". */
  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    connectionOf(request.socket)?.take(request, response);
  };

  onSlow(connection: Connection, isSlow: boolean): void {
    if (isSlow) this.#slow.add(connection);
    else this.#slow.delete(connection);
  }

  onStopped(connection: Connection): void {
    this.#stopped.add(connection);
  }

  onClosed(connection: Connection): void {
    this.#stopped.delete(connection);
  }

  /** Node's `closeAllConnections` for those that it does not know. */
  cutStopped(): void {
    for (const connection of [...this.#stopped]) connection.cut();
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #lookAfter(): void {
    const now = performance.now();
    for (const connection of [...this.#slow]) {
      if (!connection.isLate(now)) continue;
      this.#late++;
      connection.cut();
    }
  }
}
