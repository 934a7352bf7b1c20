/** The Fastify instance: how requests reach it, what it leaves to this program, and what becomes of its errors. */
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { CachedHttpServer } from './http/cached-http-server.ts';
import { countRequestBodies } from './http/request-bodies.ts';
import type { ApiContext, Pages } from './route/context.ts';
import { errorResponse, fromFastifyError } from './route/error-response.ts';
import { normalizeUrl, UnroutedRequests } from './route/unrouted-requests.ts';
import { COMPONENTS } from './schemas/route.ts';

/** Longer than any path that Node's HTTP parser accepts. */
const MAX_PARAMETER_LENGTH = 1 << 20;

export function createFastify(
  context: ApiContext,
  server: CachedHttpServer,
  pages: () => Pages | null,
): FastifyInstance {
  const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    errorResponse(context, error).send(request.raw, reply.raw);
  };

  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    serverFactory: (listener) =>
      server.listen((request, response) => {
        request.url = normalizeUrl(request.url!);
        if (pages()?.take(request, response)) return;
        if (unrouted.isRouted(request)) listener(request, response);
        else unrouted.refuse(request, response);
      }),
    // The HTTP server answers what is not HTTP, in the order of the connection's requests.
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => {
      const isBadUrl = error.code === 'FST_ERR_BAD_URL';
      sendError(isBadUrl ? unrouted.badUrlError(request.raw.url!) : fromFastifyError(error), request, reply);
    },
  });
  const unrouted = new UnroutedRequests(app, context);
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(fromFastifyError(error), request, reply));
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    unrouted.refuse(request.raw, reply.raw);
  });
  switchOffCompilers(app);
  countRequestBodies(app, context.resources.body_bytes, sendError);
  for (const schema of COMPONENTS) app.addSchema(schema);
  return app;
}

/**
 * Schemas are for the OpenAPI document only. Routes parse requests themselves, because errors have to be those of
 * mintlayer-core, in its order; and bodies are JSON already, stored as the texts that responses are made of.
 */
export function switchOffCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => String);
}
