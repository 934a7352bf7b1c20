/**
 * The HTTP server in front of Fastify. Cached responses of the current tip and preflight responses are sent from here;
 * everything else goes on to Fastify. Requests that are not valid HTTP are refused here, too.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { Metrics } from '../operations/metrics.ts';
import { clientAddressOf } from './client-address.ts';
import { CountedResponse, connectionOf } from './connection.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { sendPreflight } from './cors.ts';
import { PreparedResponse } from './prepared-response.ts';
import { RateLimit } from './rate-limit.ts';
import { COMMON_HEADERS } from './response-headers.ts';

/** Longer than the usual 60 seconds of a proxy, so that it is the proxy that closes idle connections. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 30_000;
const REQUEST_MS = 60_000;

interface CachedHttpServerLimits extends ConnectionLimits {
  readonly connections: number;
  /** Requests per second and client; 0: no limit. */
  readonly requestsPerSecond: number;
  /** Is the client's address in `x-forwarded-for`? */
  readonly isProxyTrusted: boolean;
}

interface CachedHttpServerOptions {
  readonly cache: Pick<ResponseCache, 'get'>;
  readonly metrics: Metrics;
  /** May cached responses be sent at this moment, in milliseconds of `performance.now()`? */
  readonly isCacheValid: (now: number) => boolean;
  readonly noteRequest: (now: number) => void;
  readonly limits: CachedHttpServerLimits;
}

export interface CachedHttpServer {
  readonly connections: Connections;
  /** Makes the server; `next` gets the requests that are not answered here. */
  listen(next: Listener): Server;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export function createCachedHttpServer({
  cache,
  metrics,
  isCacheValid,
  noteRequest,
  limits,
}: CachedHttpServerOptions): CachedHttpServer {
  const { isProxyTrusted, requestsPerSecond } = limits;
  const rate = requestsPerSecond > 0 ? new RateLimit(requestsPerSecond) : null;
  let next: Listener = () => {};
  /** Requests with an unknown `expect` header. They wait for their turn like all others. */
  const unexpected = new WeakSet<IncomingMessage>();
  let hasUnexpected = false;

  const serve: Listener = (request, response) => {
    const { method } = request;
    if (hasUnexpected && unexpected.has(request)) {
      EXPECTATION_FAILED.send(request, response);
      return;
    }
    if (rate !== null) {
      const seconds = rate.count(clientAddressOf(request, isProxyTrusted));
      if (seconds > 0 && !isProbe(request.url!)) {
        const refusal = tooManyRequests(seconds);
        metrics.end('none', refusal.status, metrics.begin());
        refusal.send(request, response);
        return;
      }
    }
    if (method === 'GET' || method === 'HEAD') {
      const known = cache.get(request.url!);
      // The clock is read once: each reading is a two-hundredth of a response.
      const now = known === undefined ? 0 : performance.now();
      if (known?.isFor(request) && isCacheValid(now)) {
        metrics.begin(now);
        noteRequest(now);
        known.send(request, response);
        metrics.end('cache', known.status, now);
        return;
      }
    } else if (method === 'OPTIONS') {
      sendPreflight(response);
      return;
    }
    next(request, response);
  };

  const connections = new Connections(limits, serve);
  const listen = (listener: Listener): Server => {
    next = listener;
    const server = createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        noDelay: true,
        // There is one host: a request without `host` is served, too.
        requireHostHeader: false,
        ServerResponse: CountedResponse,
      },
      connections.onRequest,
    );
    server.maxConnections = limits.connections;
    // In one of several processes: otherwise a connection too many would go from one to the other for ever.
    Object.assign(server, { dropMaxConnection: true });
    for (const which of ['idle', 'all'] as const) closeStopped(server, connections, which);
    // No timeout of the server itself: Node would make a timer for each request. See `Connections` for what replaces it.
    server.on('timeout', connections.onTimeout);
    server.on('clientError', answerClientError);
    server.on('checkExpectation', (request, response) => {
      hasUnexpected = true;
      unexpected.add(request);
      connections.onRequest(request, response);
    });
    server.on('close', () => connections.close());
    return server;
  };
  return { connections, listen };
}

/** What closes connections also closes those that Node has no parser for. */
function closeStopped(server: Server, connections: Connections, which: 'idle' | 'all'): void {
  const name = which === 'idle' ? 'closeIdleConnections' : 'closeAllConnections';
  const close = server[name].bind(server);
  server[name] = () => {
    close();
    connections.closeStopped(which);
  };
}

/** Supervisors and load balancers are exempt from the rate limit. */
function isProbe(url: string): boolean {
  return url === '/health' || url === '/ready';
}

function tooManyRequests(seconds: number): PreparedResponse {
  return new PreparedResponse('{"error":"Too many requests from this address. Try again later."}', {
    status: 429,
    headers: ['retry-after', String(seconds)],
  });
}

const EXPECTATION_FAILED = new PreparedResponse('{"error":"Expectation failed"}', { status: 417 });

/** Refuses a request that could not be parsed, after the responses to those before it, and closes the connection. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalText(error.code);
  const connection = connectionOf(socket);
  if (connection === undefined) socket.end(refusal);
  else connection.refuse(refusal);
}

function refusalText(code: string | undefined): string {
  const [status, reason, message] = refusal(code);
  const body = JSON.stringify({ error: message });
  const headers: string[] = [];
  for (let i = 0; i < COMMON_HEADERS.length; i += 2) headers.push(`${COMMON_HEADERS[i]}: ${COMMON_HEADERS[i + 1]}`);
  return [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

function refusal(code: string | undefined): [status: number, reason: string, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, 'Request Header Fields Too Large', 'Request header fields too large'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout', 'Request timeout'];
  return [400, 'Bad Request', 'Bad request'];
}
