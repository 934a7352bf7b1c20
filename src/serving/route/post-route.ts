/** A `POST` route as a value, and the way of its requests. Every response is a prepared one, also of errors. */

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { callerOf } from '../http/connection.ts';
import { MIN_TIP_HEADER, requestHeader } from '../http/headers.ts';
import { type PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import { ignoreContentType, rawBody } from '../http/request-bodies.ts';
import type { ExportFormat } from '../parse/export-format.ts';
import type { Caller } from '../resources/caller.ts';
import type { ApiContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { respondWithExport } from './export-route.ts';
import type { AnyListExport } from './get-route-stages.ts';

/** An export, and its format. */
interface WantedExport {
  readonly format: ExportFormat;
  readonly prepare: (caller: Caller) => AnyListExport | Promise<AnyListExport>;
}

interface PostRoute {
  /** The path below the API's prefix. */
  readonly path: string;
  /** The schema for the OpenAPI document only. */
  readonly schema: FastifySchema;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** Throws an ApiError if the request is refused whatever its body, without waiting for the body. */
  readonly refuse?: () => void;
  /** Returns the export that the request wants; null: it wants a response. Throws the error 400. */
  readonly exported?: (body: Buffer, accept: string | undefined) => WantedExport | null;
  /** Makes the response. Throws an ApiError, a StoreError or a ResourceRefusal. */
  readonly respond: (body: Buffer, caller: Caller, request: IncomingMessage) => Promise<PreparedResponse>;
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
        sendCounted(metrics, name, request.raw, reply.raw, errorResponse(context, error));
        return;
      }
      ignoreContentType(request);
      done();
    },
    preHandler: ({ raw }, reply, done) => {
      const minTip = requestHeader(raw, MIN_TIP_HEADER);
      if (minTip === undefined) done();
      else context.minTips.admit(raw, reply.raw, minTip, () => done());
    },
    handler: async (request: FastifyRequest, reply) => {
      reply.hijack();
      const { raw } = request;
      const began = metrics.begin();
      const respond = async () => {
        const body = rawBody(request);
        const wanted = route.exported?.(body, requestHeader(raw, 'accept')) ?? null;
        if (wanted === null) return route.respond(body, callerOf(raw), raw);
        await respondWithExport(context, name, { raw, reply: reply.raw, format: wanted.format, began }, wanted.prepare);
        return null;
      };
      const response = await respond().catch((error: unknown) => errorResponse(context, error));
      if (response === null) return;
      metrics.end(name, response.status, began);
      response.send(raw, reply.raw);
    },
  });
}
