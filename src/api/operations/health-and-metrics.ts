/**
 * `/health`, `/ready` and `/metrics` for supervisors, load balancers and Prometheus: at the root, or on their own
 * address.
 */

import { createServer, type Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ApiError } from '../errors/api-error.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import type { ApiContext } from '../route/context.ts';
import { requireReady } from '../route/readiness.ts';

const ALIVE = new PreparedResponse('{"status":"alive"}');
const STOPPING = notReady(unavailable('stopping'));

/** Returns the endpoints with their responses. */
export function operationsResponses(context: ApiContext): OperationsEndpoints {
  const { metrics, tipWatch } = context;

  function readiness(): PreparedResponse {
    if (context.isStopping()) return STOPPING;
    try {
      requireReady(context);
      const lag = tipWatch.excessiveLag;
      if (lag !== null) throw unavailable('replica behind', lag);
    } catch (error) {
      return notReady(error as ApiError);
    }
    const { height, id, timestamp } = tipWatch.tip!;
    return new PreparedResponse(
      JSON.stringify({
        ...{ status: 'ready', block_height: height, block_id: id, block_age_seconds: ageSeconds(timestamp) },
        // What needs no node is served all the same.
        ...(context.node?.connection.health.problem && { node: context.node.connection.health.problem.message }),
      }),
    );
  }

  return {
    '/health': () => ALIVE,
    '/ready': readiness,
    '/metrics': () => metrics.read().then(({ text, contentType }) => new PreparedResponse(text, { contentType })),
  };
}

/** Returns the age of a block by the machine's clock. */
export function ageSeconds(timestamp: number): number {
  return Math.max(0, Math.floor(Date.now() / 1_000) - timestamp);
}

/** Returns the response of `/ready` while the API responds with this error. */
function notReady({ status, message }: ApiError): PreparedResponse {
  return new PreparedResponse(JSON.stringify({ status: message }), { status });
}

/** Adds the endpoints that clients may see: without `/metrics` if that has its own address. */
export function operationsRoutes(app: FastifyInstance, endpoints: OperationsEndpoints, hasMetrics: boolean): void {
  for (const [path, endpoint] of Object.entries(endpoints)) {
    if (path === '/metrics' && !hasMetrics) continue;
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      // The router decodes paths, but a proxy that hides this one may compare it undecoded.
      if (request.raw.url!.split('?', 1)[0] !== path) return reply.callNotFound();
      reply.hijack();
      (await endpoint()).send(request.raw, reply.raw);
    });
  }
}

/** The responses of the endpoints, by path. */
export type OperationsEndpoints = Readonly<Record<string, () => PreparedResponse | Promise<PreparedResponse>>>;

const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 100;

/**
 * Makes a server that sends these responses to GET and HEAD, and the error 404 to everything else. It does not listen
 * yet.
 */
export function createOperationsServer(endpoints: OperationsEndpoints): Server {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, requireHostHeader: false },
    async (request, response) => {
      // A scrape needs no connection that may be closed at a stop.
      response.shouldKeepAlive = false;
      const path = request.url!.split('?', 1)[0]!;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const endpoint = isRead && Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
      const finished = endpoint === undefined ? NOT_FOUND : await endpoint();
      finished.send(request, response);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  Object.assign(server, { dropMaxConnection: true });
  server.setTimeout(REQUEST_MS);
  return server;
}

const NOT_FOUND = new PreparedResponse('{"error":"Not found"}', { status: 404 });
