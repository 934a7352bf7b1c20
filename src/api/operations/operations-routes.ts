/** `/health`, `/ready` and `/metrics` at the server's root: for supervisors, load balancers and Prometheus. */
import type { FastifyInstance } from 'fastify';
import type { ApiError } from '../errors/api-error.ts';
import { unavailable } from '../errors/unavailable.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { requireReady } from '../route/admission.ts';
import type { ApiContext } from '../route/context.ts';
import type { OperationsEndpoints } from './operations-server.ts';

const ALIVE = new PreparedResponse('{"status":"alive"}');
const STOPPING = notReady(unavailable('stopping'));

/** What the endpoints answer. */
export function operationsEndpoints(context: ApiContext): OperationsEndpoints {
  const { metrics, tipWatch } = context;

  function readiness(): PreparedResponse {
    if (context.isStopping()) return STOPPING;
    try {
      requireReady(context);
    } catch (error) {
      return notReady(error as ApiError);
    }
    const { height, id } = tipWatch.tip!;
    return new PreparedResponse(`{"status":"ready","block_height":${height},"block_id":"${id}"}`);
  }

  return {
    '/health': () => ALIVE,
    '/ready': readiness,
    '/metrics': () => metrics.read().then(({ text, contentType }) => new PreparedResponse(text, { contentType })),
  };
}

/** `/ready` while the API would respond with this error. */
function notReady({ status, message }: ApiError): PreparedResponse {
  return new PreparedResponse(JSON.stringify({ status: message }), { status });
}

/** Adds those that clients may see: without `/metrics` where that has an address of its own. */
export function operationsRoutes(app: FastifyInstance, answers: OperationsEndpoints, hasMetrics: boolean): void {
  for (const [path, answer] of Object.entries(answers)) {
    if (path === '/metrics' && !hasMetrics) continue;
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      // The router decodes paths; a proxy that hides this one may compare it as it was sent.
      if (request.raw.url!.split('?', 1)[0] !== path) return reply.callNotFound();
      reply.hijack();
      (await answer()).send(request.raw, reply.raw);
    });
  }
}
