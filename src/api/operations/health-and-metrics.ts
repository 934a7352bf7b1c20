/**
 * `/health`, `/ready` and `/metrics` for supervisors, load balancers and Prometheus: at the root, or on their own
 * address.
 */

import { jsonResponse, type MonitorResponse, type MonitorRoutes } from '../../monitoring/monitor-server.ts';
import type { ApiError } from '../../serving/errors/api-error.ts';
import { unavailable } from '../../serving/errors/causes-of-503.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RoutedRequest, RouteGroup } from '../../serving/http/routes.ts';
import { requireReady } from '../../serving/route/readiness.ts';
import type { ApiContext } from '../api-context.ts';

const ALIVE = jsonResponse(200, { status: 'alive' });
const STOPPING = notReady(unavailable('stopping'));

/** Returns the endpoints with their responses. */
export function operationsResponses(context: ApiContext): MonitorRoutes {
  const { metrics, tipWatch } = context;

  function readiness(): MonitorResponse {
    if (context.isStopping()) return STOPPING;
    try {
      requireReady(context);
      const lag = tipWatch.excessiveLag;
      if (lag !== null) throw unavailable('replica behind', lag);
    } catch (error) {
      return notReady(error as ApiError);
    }
    const { height, id, timestamp } = tipWatch.tip!;
    return jsonResponse(200, {
      ...{ status: 'ready', block_height: height, block_id: id, block_age_seconds: ageSeconds(timestamp) },
      // What needs no node is served all the same.
      ...(context.node?.connection.health.problem && { node: context.node.connection.health.problem.message }),
    });
  }

  return {
    '/health': () => ALIVE,
    '/ready': readiness,
    '/metrics': () => metrics.read().then(({ text: body, contentType }) => ({ status: 200, contentType, body })),
  };
}

/** Returns the age of a block by the machine's clock. */
export function ageSeconds(timestamp: number): number {
  return Math.max(0, Math.floor(Date.now() / 1_000) - timestamp);
}

/** Returns the response of `/ready` while the API responds with this error. */
function notReady({ status, message }: ApiError): MonitorResponse {
  return jsonResponse(status, { status: message });
}

/** Adds the endpoints that clients may see: without `/metrics` if that has its own address. */
export function operationsRoutes(routes: RouteGroup, endpoints: MonitorRoutes, hasMetrics: boolean): void {
  for (const [path, endpoint] of Object.entries(endpoints)) {
    if (path === '/metrics' && !hasMetrics) continue;
    const respond = async ({ raw, reply }: RoutedRequest): Promise<void> => {
      const { body, ...options } = await endpoint();
      new PreparedResponse(body, options).send(raw, reply);
    };
    routes.add({ method: 'GET', path, schema: null, handle: (request) => void respond(request) });
  }
}
