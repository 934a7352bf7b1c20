/** A `POST` route as a value, and the way of its requests. Every response is a prepared one, also of errors. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { callerOf } from '../http/connection.ts';
import { MIN_TIP_HEADER, requestHeader } from '../http/headers.ts';
import { type PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import { readRequestBody } from '../http/request-body.ts';
import type { RoutedRequest, RouteGroup, RouteSchema } from '../http/routes.ts';
import type { ExportFormat } from '../parse/export-format.ts';
import type { Caller } from '../resources/caller.ts';
import type { ServingContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { respondWithExport } from './export-route.ts';
import { closeUnanswered } from './get-route.ts';
import type { AnyListExport } from './get-route-stages.ts';

/** An export, and its format. */
interface WantedExport {
  readonly format: ExportFormat;
  readonly prepare: (caller: Caller) => AnyListExport | Promise<AnyListExport>;
}

/** The {@link RouteSchema} is for the OpenAPI document only. */
interface PostRoute extends RouteSchema {
  /** The path below the API's prefix. */
  readonly path: string;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** Throws an ApiError if the request is refused whatever its body, without waiting for the body. */
  readonly refuse?: () => void;
  /** Returns the export that the request wants; null: it wants a response. Throws the error 400. */
  readonly exported?: (body: Buffer, accept: string | undefined) => WantedExport | null;
  /** Makes the response. Throws an ApiError, a StoreError or a ResourceRefusal. */
  readonly respond: (body: Buffer, caller: Caller, request: IncomingMessage) => Promise<PreparedResponse>;
  /** The response for an error; by default the API's. */
  readonly fail?: (error: unknown, request: IncomingMessage) => PreparedResponse;
}

export function addPostRoute(routes: RouteGroup, context: ServingContext, route: PostRoute): void {
  const { metrics } = context;
  const name = `POST ${routes.prefix}${route.path}`;
  const { fail = (error: unknown) => errorResponse(context, error) } = route;

  async function handle({ raw, reply }: RoutedRequest): Promise<void> {
    let body: Buffer;
    try {
      route.refuse?.();
      body = await readRequestBody(raw, reply, route.bodyLimit, context.resources.body_bytes);
    } catch (error) {
      sendCounted(metrics, name, raw, reply, fail(error, raw));
      return;
    }
    const minTip = requestHeader(raw, MIN_TIP_HEADER);
    if (minTip === undefined) await respond(body, { raw, reply });
    else context.minTips.admit(raw, reply, minTip, () => closeIfFailed(respond(body, { raw, reply }), reply));
  }

  async function respond(body: Buffer, { raw, reply }: Pick<RoutedRequest, 'raw' | 'reply'>): Promise<void> {
    const began = metrics.begin();
    const answer = async () => {
      const wanted = route.exported?.(body, requestHeader(raw, 'accept')) ?? null;
      if (wanted === null) return route.respond(body, callerOf(raw), raw);
      await respondWithExport(context, name, { raw, reply, format: wanted.format, began }, wanted.prepare);
      return null;
    };
    const response = await answer().catch((error: unknown) => fail(error, raw));
    if (response === null) return;
    metrics.end(name, response.status, began);
    response.send(raw, reply);
  }

  /** Closes the connection if the answer cannot be sent: no error is left to the process. */
  const closeIfFailed = (answering: Promise<void>, reply: ServerResponse): void => {
    answering.catch((error: unknown) => closeUnanswered(context, reply, error));
  };
  routes.add({
    method: 'POST',
    path: route.path,
    schema: route,
    handle: (request) => closeIfFailed(handle(request), request.reply),
  });
}
