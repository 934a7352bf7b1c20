/**
 * `/health`, `/ready` and `/metrics` for supervisors, load balancers and Prometheus: at the root, or on their own
 * address.
 */

import { ageSeconds, jsonResponse, type MonitorResponse, type MonitorRoutes } from '../../monitoring/monitor-server.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RoutedRequest, RouteGroup } from '../../serving/http/routes.ts';
import { whyNotReady } from '../../serving/route/readiness.ts';
import type { ApiContext } from '../api-context.ts';

const ALIVE = jsonResponse(200, { status: 'alive' });

/** Returns the endpoints with their responses. */
export function operationsResponses(context: ApiContext): MonitorRoutes {
  const { metrics, tipWatch } = context;

  function readiness(): MonitorResponse {
    const reason = whyNotReady(context);
    if (reason !== null) return jsonResponse(reason.status, { status: reason.message });
    const { height, id, timestamp } = tipWatch.tip!;
    return jsonResponse(200, {
      status: 'ready',
      block_height: height,
      block_id: id,
      block_age_seconds: ageSeconds(timestamp),
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

/** Adds the endpoints that clients may see: without `/metrics` if that has its own address. */
export function operationsRoutes(routes: RouteGroup, endpoints: MonitorRoutes, hasMetrics: boolean): void {
  for (const [path, endpoint] of Object.entries(endpoints)) {
    if (path === '/metrics' && !hasMetrics) continue;
    const respond = async ({ raw, reply }: RoutedRequest): Promise<void> => {
      const { body, ...options } = await endpoint();
      new PreparedResponse(body, options).send(raw, reply);
    };
    routes.add({
      method: 'GET',
      path,
      schema: null,
      handle: (request) => void respond(request).catch(() => request.reply.destroy()),
    });
  }
}
