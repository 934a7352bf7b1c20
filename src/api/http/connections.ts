/** All client connections of a server, and the limits that they share. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Connection, type ConnectionHost, connectionOf } from './connection.ts';
import { TurnBudget } from './turn-budget.ts';
import { UnsentBytes, type UnsentResponse } from './unsent-bytes.ts';

export interface ConnectionLimits {
  /** Response bytes that clients have not taken. */
  readonly unsentBytes: number;
  /** Requests that were read and not begun because their connection has others before them. */
  readonly waitingRequests: number;
}

/** Requests begun in one turn of the event loop while others of their connections are in progress: some two milliseconds. */
const MAX_PIPELINED_PER_TURN = 128;
const LOOK_AFTER_MS = 1_000;
/**
 * Connections with an open request are checked this often for progress, and closed after so many checks without a byte
 * in either direction: two minutes, longer than any response takes to make. A timer for each request would cost more.
 */
const LOOKS_PER_PROGRESS_CHECK = 30;
const MAX_CHECKS_WITHOUT_PROGRESS = 4;

export class Connections implements ConnectionHost {
  readonly unsent: UnsentBytes;
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #mostWaiting: number;
  readonly #pipelined = new TurnBudget(MAX_PIPELINED_PER_TURN);
  readonly #all = new Set<Connection>();
  readonly #slow = new Set<Connection>();
  readonly #withWaiting = new Set<Connection>();
  /** Those that have more to parse, in the order in which they get to it: one in each turn of the event loop. */
  readonly #unparsed = new Set<Connection>();
  readonly #looking: NodeJS.Timeout;
  #looks = 0;
  #waiting = 0;
  #cut = 0;

  /** `serve` is called with each request when it is its turn. */
  constructor(
    { unsentBytes, waitingRequests }: ConnectionLimits,
    serve: (request: IncomingMessage, response: ServerResponse) => void,
  ) {
    this.unsent = new UnsentBytes(unsentBytes);
    this.#mostWaiting = waitingRequests;
    this.serve = serve;
    this.#looking = setInterval(() => this.#lookAfter(), LOOK_AFTER_MS).unref();
  }

  /** Number of connections closed because their clients sent too many requests, or took responses too slowly. */
  get cut(): number {
    return this.#cut;
  }

  /** Requests that were read and not begun. */
  get waiting(): number {
    return this.#waiting;
  }

  get isPressed(): boolean {
    return this.unsent.isPressed;
  }

  /** For Node's event "request". */
  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    (connectionOf(socket) ?? this.#open(socket)).take(request, response);
  };

  /** What Node's server calls when a socket's timeout has passed without any data. */
  readonly onTimeout = (socket: Socket): void => {
    const connection = connectionOf(socket);
    if (connection === undefined) socket.destroy();
    else connection.onSilence();
  };

  onUnsent(connection: Connection, unsent: UnsentResponse): void {
    this.unsent.add(unsent);
    this.#slow.add(connection);
  }

  onTaken(connection: Connection, unsent: UnsentResponse): void {
    this.unsent.remove(unsent);
    if (connection.unsentBytes === 0) this.#slow.delete(connection);
  }

  mayPipeline(): boolean {
    return this.#pipelined.take();
  }

  onWaiting(connection: Connection, count: number): void {
    this.#waiting += count;
    if (connection.waiting === 0) this.#withWaiting.delete(connection);
    else this.#withWaiting.add(connection);
    if (count > 0 && this.#waiting > this.#mostWaiting) this.#cutLongestQueue();
  }

  onClosed(connection: Connection): void {
    this.#all.delete(connection);
  }

  onAnsweredAll(connection: Connection): void {
    if (this.#unparsed.size === 0) setImmediate(this.#parseNext);
    this.#unparsed.add(connection);
  }

  readonly #parseNext = (): void => {
    for (const connection of this.#unparsed) {
      this.#unparsed.delete(connection);
      connection.parseRest();
      break;
    }
    if (this.#unparsed.size > 0) setImmediate(this.#parseNext);
  };

  onCut(): void {
    this.#cut++;
  }

  /** Node's `closeIdleConnections` and `closeAllConnections` for those that have no parser, which it does not know. */
  closeStopped(which: 'idle' | 'all'): void {
    for (const connection of [...this.#all]) {
      if (connection.isStopped && (which === 'all' || connection.isIdle)) connection.destroy();
    }
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #open(socket: Socket): Connection {
    const connection = new Connection(socket, this);
    this.#all.add(connection);
    return connection;
  }

  /** The connection with most waiting requests is closed: clients with one request at a time are not affected. */
  #cutLongestQueue(): void {
    let longest: Connection | undefined;
    for (const connection of this.#withWaiting) {
      if (longest === undefined || connection.waiting > longest.waiting) longest = connection;
    }
    longest?.cut();
  }

  #lookAfter(): void {
    const now = performance.now();
    for (const connection of [...this.#slow]) if (connection.isLate(now)) connection.cut();
    if (++this.#looks % LOOKS_PER_PROGRESS_CHECK !== 0) return;
    for (const connection of this.#all) {
      if (connection.checksWithoutProgress() >= MAX_CHECKS_WITHOUT_PROGRESS) connection.destroy();
    }
  }
}
