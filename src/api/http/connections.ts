/** All client connections of a server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Connection, type ConnectionHost, connectionOf } from './connection.ts';

const LOOK_AFTER_MS = 1_000;

export class Connections implements ConnectionHost {
  readonly resources: ConnectionHost['resources'];
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
