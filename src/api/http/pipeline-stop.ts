/**
 * Stops Node's HTTP parser at a request that comes before the one before it is answered. Node parses everything that one
 * read gives, up to 64 kB or a thousand pipelined requests, before anything else runs; from 150 connections at once that is
 * two seconds for all other clients. docs/decisions/parser-stop.md has the reasons.
 *
 * Node has no function for it. What it has is the way of an `Upgrade`: after such a request it leaves the socket and hands
 * what was not parsed to the event 'upgrade'. The early request is made to look like one.
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

/** Calls `onStopped` at the first request for which `isEarly` holds: it is not begun, and the socket has no parser any more. */
export function stopPipeline(socket: Socket, isEarly: () => boolean, onStopped: () => void): void {
  const { parser, server } = socket as unknown as ParsedSocket;
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming || server === undefined) return;
  parser.onIncoming = (request, keepAlive) => {
    if (!isEarly()) return onIncoming(request, keepAlive);
    request.upgrade = true;
    // Emitted before anything else runs: nothing of another connection can come in between.
    server.once('upgrade', () => {
      // Node has left the socket, and with it its errors.
      socket.on('error', () => socket.destroy());
      onStopped();
    });
    return STOP_AFTER_REQUEST;
  };
}
