/** The access log: a line for each request, when it is answered or its connection ends. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf, ipOf } from './client-key.ts';

/** A request as the access log has it. */
export interface LoggedRequest {
  /** Null, as `path`, for bytes that are no request. */
  readonly method: string | null;
  /** With its query. */
  readonly path: string | null;
  /** Null if the client went away before there was one. */
  readonly status: number | null;
  /** From the request to the last byte that the client took. */
  readonly ms: number;
  /** What was sent, with the headers. */
  readonly bytes: number;
  /** Of the client behind the trusted proxies. */
  readonly client: string;
  /** Did the client, or a limit, end the connection before the response was sent? */
  readonly aborted?: true;
}

/** The log of a connection, with one request at a time. */
export class AccessLog {
  readonly #socket: Socket;
  readonly #remoteAddress: string;
  readonly #trustedProxies: number;
  readonly #write: (request: LoggedRequest) => void;
  /** When the request in progress began, and what the socket had sent before; null once it is logged. */
  #from: { readonly at: number; readonly bytes: number } | null = null;

  constructor(socket: Socket, remoteAddress: string, trustedProxies: number, write: (request: LoggedRequest) => void) {
    this.#socket = socket;
    this.#remoteAddress = remoteAddress;
    this.#trustedProxies = trustedProxies;
    this.#write = write;
  }

  /** To be called when a request begins, and for bytes that are no request, but may belong to one that has begun. */
  begin(): void {
    this.#from ??= { at: performance.now(), bytes: this.#socket.bytesWritten };
  }

  /** Logs the request in progress, unless it is logged. */
  end(request: IncomingMessage | undefined, status: number | null, more: Pick<LoggedRequest, 'aborted'> = {}): void {
    const from = this.#from;
    if (from === null) return;
    this.#from = null;
    const { method = null, url: path = null, rawHeaders = [] } = request ?? {};
    this.#write({
      method,
      path,
      status,
      ms: Math.round((performance.now() - from.at) * 100) / 100,
      bytes: this.#socket.bytesWritten - from.bytes,
      client: ipOf(addressOf({ rawHeaders }, this.#remoteAddress, this.#trustedProxies)),
      ...more,
    });
  }
}
