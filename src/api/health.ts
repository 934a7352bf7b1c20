/** `/health`, `/ready` and `/metrics` at the server's root: for supervisors, load balancers and Prometheus. */
import type { FastifyInstance } from 'fastify';
import { type ApiContext, checkReady, finishError } from './context.ts';
import { unavailable } from './error.ts';
import { Finished } from './finished.ts';

export function healthRoutes(app: FastifyInstance, context: ApiContext): void {
  const { metrics, watch } = context;

  app.get('/health', { schema: { hide: true } }, (request, reply) => {
    reply.hijack();
    new Finished('{"status":"alive"}').send(request.raw, reply.raw);
  });

  app.get('/ready', { schema: { hide: true } }, (request, reply) => {
    reply.hijack();
    const { status, text } = readiness();
    new Finished(text, { status }).send(request.raw, reply.raw);
  });

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    reply.hijack();
    const finished = await metrics
      .read()
      .then(({ text, contentType }) => new Finished(text, { contentType }))
      .catch((error: unknown) =>
        finishError(context, unavailable(`There are no figures: ${(error as Error).message}`)),
      );
    finished.send(request.raw, reply.raw);
  });

  function readiness(): { readonly status: number; readonly text: string } {
    try {
      checkReady(context);
    } catch (error) {
      return { status: 503, text: JSON.stringify({ status: (error as Error).message }) };
    }
    const { height, id } = watch.tip!;
    return { status: 200, text: `{"status":"ready","block_height":${height},"block_id":"${id}"}` };
  }
}
