/**
 * The HTTP server in front of the router. What is known to be the answer (a finished body of the current tip, the
 * answer to OPTIONS) is sent from here; everything else goes on to the routes. What is not even HTTP ends here, too.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BodyCache } from './body-cache.ts';
import { CORS_HEADERS, sendOptions } from './finished.ts';
import type { Metrics } from './metrics.ts';

/** Longer than the usual 60 seconds of a proxy in front, so that it is the proxy who closes idle connections. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 30_000;
const REQUEST_MS = 60_000;

export interface FrontOptions {
  readonly cache: Pick<BodyCache, 'get'>;
  readonly metrics: Metrics;
  /** May answers of the cache be given at the moment? */
  readonly isCacheValid: () => boolean;
  readonly noteRequest: () => void;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export function createFront(next: Listener, options: FrontOptions): Server {
  const { cache, metrics, isCacheValid, noteRequest } = options;
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      noDelay: true,
      // We have one host; who names none gets the same answer, in our words.
      requireHostHeader: false,
    },
    (request, response) => {
      const { method } = request;
      if (method === 'GET' || method === 'HEAD') {
        const known = cache.get(request.url!);
        if (known !== undefined && isCacheValid()) {
          const began = metrics.begin();
          noteRequest();
          known.send(request, response);
          metrics.end('cache', known.status, began);
          return;
        }
      } else if (method === 'OPTIONS') {
        sendOptions(response);
        return;
      }
      next(request, response);
    },
  );
  server.on('clientError', answerClientError);
  return server;
}

/** Says what was wrong to a client whose request could not be read, and hangs up. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason, message] = refusal(error.code);
  const body = JSON.stringify({ error: message });
  const headers: string[] = [];
  for (let i = 0; i < CORS_HEADERS.length; i += 2) headers.push(`${CORS_HEADERS[i]}: ${CORS_HEADERS[i + 1]}`);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  );
}

function refusal(code: string | undefined): [status: number, reason: string, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, 'Request Header Fields Too Large', 'Request header fields too large'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout', 'Request timeout'];
  return [400, 'Bad Request', 'Bad request'];
}
