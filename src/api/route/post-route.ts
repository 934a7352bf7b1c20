/** A `POST` route as a value, and the way of its requests. Every response is a prepared one, also of errors. */
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import type { Caller } from '../../resources/caller.ts';
import { callerOf } from '../http/connection.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';
import { ignoreContentType, rawBody } from '../http/request-bodies.ts';
import type { ApiContext } from './context.ts';
import { errorResponse } from './error-response.ts';

interface PostRoute {
  /** The path below the API's prefix. */
  readonly path: string;
  /** The schema for the OpenAPI document only. */
  readonly schema: FastifySchema;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** Throws an ApiError if the request is refused whatever its body, without waiting for the body. */
  readonly refuse?: () => void;
  /** Makes the response. Throws an ApiError, a StoreError or a ResourceRefusal. */
  readonly respond: (body: Buffer, caller: Caller) => Promise<PreparedResponse>;
}

export function addPostRoute(app: FastifyInstance, context: ApiContext, route: PostRoute): void {
  const { metrics } = context;
  const name = `POST ${app.prefix}${route.path}`;

  app.post(route.path, {
    schema: route.schema,
    bodyLimit: route.bodyLimit,
    onRequest: (request, reply, done) => {
      try {
        route.refuse?.();
      } catch (error) {
        reply.hijack();
        const began = metrics.begin();
        const response = errorResponse(context, error);
        metrics.end(name, response.status, began);
        response.send(request.raw, reply.raw);
        return;
      }
      ignoreContentType(request);
      done();
    },
    handler: async (request: FastifyRequest, reply) => {
      reply.hijack();
      const began = metrics.begin();
      const response = await route
        .respond(rawBody(request), callerOf(request.raw))
        .catch((error: unknown) => errorResponse(context, error));
      metrics.end(name, response.status, began);
      response.send(request.raw, reply.raw);
    },
  });
}
