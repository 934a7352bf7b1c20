/**
 * Stops Node's HTTP parser at a request that comes before the response to the previous one is sent. Node parses
 * everything that one read returns, up to 64 kB or a thousand pipelined requests, before anything else runs; with 150
 * such connections all other clients wait for two seconds. docs/decisions/parser-stop.md has the reasons.
 *
 * Node offers no function for this, so the request is made to look like an `Upgrade`: after one, Node leaves the
 * socket and passes the unparsed rest to the event 'upgrade', or 'connect' if the method is `CONNECT`.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

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
 * Calls `onStopped` at the first request for which `isEarly` returns true. That request is not started, and the socket
 * has no parser any more.
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
