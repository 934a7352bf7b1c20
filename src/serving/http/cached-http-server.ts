/**
 * The HTTP server in front of the routes. It sends cached responses of the current tip and preflight responses, and
 * refuses requests that are not valid HTTP. Everything else goes on to the explorer or to the routes.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasValidHost } from '../../monitoring/host-header.ts';
import type { Metrics } from '../metrics/metrics.ts';
import {
  type ConnectionOptions,
  Connections,
  callerOf,
  connectionOf,
  isBodyRead,
  PieceCountingRequest,
  UnsentTrackingResponse,
} from './connection.ts';
import { COMMON_HEADERS, MIN_TIP_HEADER, requestHeader, sendPreflight } from './headers.ts';
import { PreparedResponse, sendCounted } from './prepared-response.ts';
import { RateLimit } from './rate-limit.ts';

/** Longer than the usual 60 seconds of a proxy, so that the proxy closes idle connections first. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 30_000;
const REQUEST_MS = 60_000;

interface CachedHttpServerOptions extends Omit<ConnectionOptions, 'serve'> {
  /** Responses of the current tip by URL. */
  readonly cache: { get(url: string): PreparedResponse | undefined };
  readonly metrics: Metrics;
  /** Cached responses are sent while the tip is fresh. Times are milliseconds of `performance.now()`. */
  readonly tipWatch: { isFreshAt(now: number): boolean; noteRequest(now: number): void };
  /** Handles requests that name the oldest tip that they accept. */
  readonly minTips: {
    admit(request: IncomingMessage, response: ServerResponse, named: string, serve: Listener): void;
  };
  /** The limit for each client; 0: no limit. */
  readonly requestsPerSecond: number;
}

export interface CachedHttpServer {
  readonly connections: Connections;
  /** Makes the server; `next` gets the requests that the cache cannot answer, with their path and query as URL. */
  listen(next: Destinations): Server;
}

/** Where requests go that the cache cannot answer. */
interface Destinations {
  readonly routes: Listener;
  /** Answers a request for a page for browsers; false if it is none. */
  takePage(request: IncomingMessage, response: ServerResponse): boolean;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export function createCachedHttpServer({
  cache,
  metrics,
  minTips,
  tipWatch,
  requestsPerSecond,
  resources,
  trustedProxies,
  accessLog,
}: CachedHttpServerOptions): CachedHttpServer {
  const rate = requestsPerSecond > 0 ? new RateLimit(requestsPerSecond) : null;
  let next: Destinations;

  /** The listener for requests within the limit and with a valid `Host`; others are refused. */
  const limited =
    (listener: Listener): Listener =>
    (request, response) => {
      const isCounted = rate !== null && !isProbe(request.url!);
      const seconds = isCounted ? rate.count(callerOf(request).client) : 0;
      if (seconds > 0) sendCounted(metrics, 'none', request, response, tooManyRequests(seconds));
      else if (!hasValidHost(request)) sendCounted(metrics, 'none', request, response, INVALID_HOST);
      else listener(request, response);
    };

  const serve = limited((request, response) => {
    if (request.method === 'OPTIONS') {
      sendPreflight(response);
      return;
    }
    const minTip = requestHeader(request, MIN_TIP_HEADER);
    // Requests whose body is read wait after that, so that their bytes count: see `addPostRoute`.
    if (minTip === undefined || isProbe(request.url!) || isBodyRead(request.method)) respond(request, response);
    else minTips.admit(request, response, minTip, respond);
  });

  const refuseExpectation = limited((request, response) =>
    sendCounted(metrics, 'none', request, response, EXPECTATION_FAILED),
  );

  const respond: Listener = (request, response) => {
    if (isRead(request)) {
      const known = cache.get(request.url!);
      // The clock is read once: each reading takes a two-hundredth of a response's time.
      const now = known === undefined ? 0 : performance.now();
      if (known?.isFor(request) && tipWatch.isFreshAt(now)) {
        metrics.begin(now);
        tipWatch.noteRequest(now);
        known.send(request, response);
        metrics.end('cache', known.status, now);
        return;
      }
    }
    request.url = pathAndQueryOf(request.url!);
    if (!NOT_PAGES.test(request.url) && next.takePage(request, response)) return;
    next.routes(request, response);
  };

  const connections = new Connections({ resources, trustedProxies, accessLog, serve });
  const listen = (destinations: Destinations): Server => {
    next = destinations;
    const server = createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        noDelay: true,
        // `hasValidHost` requires it: Node would close the connection before earlier requests are answered.
        requireHostHeader: false,
        IncomingMessage: PieceCountingRequest,
        ServerResponse: UnsentTrackingResponse,
      },
      connections.onRequest,
    );
    server.on('connection', connections.onConnection);
    server.closeAllConnections = () => connections.cutAll();
    // `server.timeout` stays unset: Node would make a timer for each request. `Connection` limits how long sending takes.
    server.on('clientError', answerClientError);
    server.on('checkExpectation', (request, response) =>
      connectionOf(request.socket)?.take(request, response, refuseExpectation),
    );
    return server;
  };
  return { connections, listen };
}

/** Paths of the API, of the icon and for operators, which are never pages. */
const NOT_PAGES = /^\/(?:api|docs|health|ready|status|metrics|favicon\.ico)(?:[/?]|$)/;

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** Returns the path and query of a URL, which may also be absolute. A `%` without a code stands for itself. */
function pathAndQueryOf(url: string): string {
  const own = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/^(?=\?|$)/, '/');
  return own.includes('%') ? own.replace(/%(?![0-9a-f]{2})/gi, '%25') : own;
}

/** Requests of supervisors and load balancers do not count for the rate limit. */
function isProbe(url: string): boolean {
  return url === '/health' || url === '/ready';
}

function tooManyRequests(seconds: number): PreparedResponse {
  return new PreparedResponse('{"error":"Too many requests from this address. Try again later."}', {
    status: 429,
    headers: ['retry-after', String(seconds)],
  });
}

const INVALID_HOST = new PreparedResponse('{"error":"Invalid Host header"}', { status: 400 });
const EXPECTATION_FAILED = new PreparedResponse('{"error":"Expectation failed"}', { status: 417 });

/** Refuses a request that could not be parsed, unless another one is in progress, and closes the connection. */
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
