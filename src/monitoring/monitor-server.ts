/**
 * A small HTTP server for monitoring: a few paths, GET and HEAD only. Each connection serves one request
 * within seconds, and the oldest is closed if there are too many, so no client can block the server.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ListenOptions, Socket } from 'node:net';
import { hasValidHost } from './host-header.ts';

export interface MonitorResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The response of each path. */
export type MonitorRoutes = Readonly<Record<string, () => MonitorResponse | Promise<MonitorResponse>>>;

const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8 * 1024;
/** Maximum time to receive a request. */
const REQUEST_MS = 5_000;
/** Idle timeout; for a partly read response Node takes up to twice as long. */
const SILENCE_MS = 5_000;
const LOOKING_MS = 1_000;

/** Returns the server when it listens (port 0 chooses a free one); rejects with the system's error if it cannot. */
export async function serveMonitor(address: ListenOptions, routes: MonitorRoutes): Promise<Server> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: LOOKING_MS,
      // `hasValidHost` requires it, with a response of ours.
      requireHostHeader: false,
    },
    (request, response) => void answer(request, response, routes),
  );
  server.setTimeout(SILENCE_MS);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    const [oldest] = connections;
    if (connections.size > MAX_CONNECTIONS) oldest?.destroy();
  });
  server.listen(address);
  await once(server, 'listening');
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, routes: MonitorRoutes): Promise<void> {
  const { status, contentType, body, allow } = await responseTo(request, routes);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...(allow === undefined ? {} : { allow }),
  });
  response.end(body);
}

async function responseTo(
  request: IncomingMessage,
  routes: MonitorRoutes,
): Promise<MonitorResponse & { readonly allow?: string }> {
  if (!hasValidHost(request)) return refusal(400, 'Invalid Host header');
  const { method, url = '' } = request;
  // A proxied request also names the host.
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined)
    return refusal(404, `There is nothing at this path, only ${Object.keys(routes).join(', ')}.`);
  if (method !== 'GET' && method !== 'HEAD') return { ...refusal(405, 'Only GET and HEAD.'), allow: 'GET, HEAD' };
  try {
    return await route();
  } catch (error) {
    return refusal(500, `There is no answer: ${(error as Error).message}`);
  }
}

/** Returns the age of a block by the machine's clock. */
export const ageSeconds = (timestamp: number): number => Math.max(0, Math.floor(Date.now() / 1_000) - timestamp);

/** Makes a JSON response. */
export function jsonResponse(status: number, value: object): MonitorResponse {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

function refusal(status: number, error: string): MonitorResponse {
  return jsonResponse(status, { error });
}
