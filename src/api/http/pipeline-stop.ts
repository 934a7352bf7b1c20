/**
 * Stops Node's HTTP parser in the middle of what it has read. Node parses everything that one read gives, up to 64 kB or
 * a thousand pipelined requests, before anything else runs; from 150 connections at once that is two seconds for all
 * other clients. Stopped, the rest stays bytes until the connection has been answered.
 *
 * Node has no function for it. What it has is the way of an `Upgrade`: after such a request it hands the rest of what was
 * read to the event 'upgrade' and leaves the socket. A request is made to look like one here; later the rest is put back and
 * the socket is given to the server again, as the documentation of the event 'connection' allows.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The parser's answer to the headers of a request: parse its end, and nothing that follows. */
const STOP_AFTER_REQUEST = 2;

/** A request as Node's parser knows it. */
type ParsedRequest = IncomingMessage & { upgrade: boolean };

interface ParsedSocket {
  /** Node's parser of this socket, while it has one. */
  readonly parser?: { onIncoming: ((request: ParsedRequest, keepAlive: boolean) => number) | null } | null;
  readonly server?: Server;
}

/** What stops the parser, and gets what it has not parsed. */
export interface PipelineStop {
  /** Is the request that was just taken the last one for now? */
  readonly mustStop: boolean;
  /** The socket has no parser from now on; `rest` may be empty. */
  onStopped(rest: Buffer): void;
  /** The socket's timeout, which Node does not pass on to the server without a parser. */
  onTimeout(): void;
}

/** Looks after each request of the socket whether the parser must stop. */
export function stopPipeline(socket: Socket, stop: PipelineStop): void {
  const { parser, server } = socket as unknown as ParsedSocket;
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming || server === undefined) return;
  parser.onIncoming = (request, keepAlive) => {
    const result = onIncoming(request, keepAlive);
    if (!stop.mustStop || result !== 0 || hasBody(request)) return result;
    request.upgrade = true;
    // Emitted before anything else runs: nothing of another connection can come in between.
    server.once('upgrade', (_request, _socket, rest) => {
      request.upgrade = false;
      socket.on('error', destroySocket);
      socket.on('timeout', stop.onTimeout);
      stop.onStopped(rest);
    });
    return STOP_AFTER_REQUEST;
  };
}

/** Gives a stopped socket a parser again, which begins with the rest. All its requests must have been answered. */
export function resumePipeline(socket: Socket, rest: Buffer, stop: PipelineStop): void {
  const { server } = socket as unknown as ParsedSocket;
  socket.off('error', destroySocket);
  socket.off('timeout', stop.onTimeout);
  // Node ends with its own parser what it has begun with it: the timeout of an idle connection.
  socket.setTimeout(0);
  if (rest.length > 0) socket.unshift(rest);
  server!.emit('connection', socket);
  stopPipeline(socket, stop);
  socket.resume();
}

function destroySocket(this: Socket): void {
  this.destroy();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
