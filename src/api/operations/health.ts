/** `/health`, `/ready` and `/metrics` at the server's root: for supervisors, load balancers and Prometheus. */
import type { FastifyInstance } from 'fastify';
import { type ApiContext, checkReady, finishError } from '../route/context.ts';
import { unavailable } from '../route/api-error.ts';
import { Finished } from '../http/prepared-response.ts';
import type { OperationsAnswers } from './operations-server.ts';

const ALIVE = new Finished('{"status":"alive"}');
const STOPPING = new Finished('{"status":"The server is stopping."}', { status: 503 });

/** What the endpoints answer. */
export function operationsAnswers(context: ApiContext): OperationsAnswers {
  const { metrics, watch } = context;

  function readiness(): Finished {
    if (context.isStopping()) return STOPPING;
    try {
      checkReady(context);
    } catch (error) {
      return new Finished(JSON.stringify({ status: (error as Error).message }), { status: 503 });
    }
    const { height, id } = watch.tip!;
    return new Finished(`{"status":"ready","block_height":${height},"block_id":"${id}"}`);
  }

  return {
    '/health': () => ALIVE,
    '/ready': readiness,
    '/metrics': () =>
      metrics
        .read()
        .then(({ text, contentType }) => new Finished(text, { contentType }))
        .catch((error: unknown) =>
          finishError(context, unavailable(`There are no figures: ${(error as Error).message}`)),
        ),
  };
}

/** Adds those that clients may see: without `/metrics` where that has an address of its own. */
export function healthRoutes(app: FastifyInstance, answers: OperationsAnswers, hasMetrics: boolean): void {
  for (const [path, answer] of Object.entries(answers)) {
    if (path === '/metrics' && !hasMetrics) continue;
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      reply.hijack();
      (await answer()).send(request.raw, reply.raw);
    });
  }
}
