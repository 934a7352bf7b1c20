/**
 * A `GET` route as a value, and the way of its requests: parse → ready → cache → read → present → send. A handler's
 * stages are functions of their own, each typed by the one before.
 */
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import type { ListAnchors } from '../../store/queries/keyset.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { cacheKeyOf } from '../cache/cache-key.ts';
import { fnv1a } from '../cache/fnv1a.ts';
import { clientAddressOf } from '../http/client-address.ts';
import { etagMatches, isConditional, NotModified } from '../http/conditional-request.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { nextPageHeaders, type PagedRoute } from '../pagination/next-page-link.ts';
import type { Query } from '../parse/parameters.ts';
import { badRequest } from './api-error.ts';
import type { ApiContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { etagOf } from './etag.ts';
import { requireCapacity, requireReady } from './preconditions.ts';
import { readRouteData } from './read-stage.ts';
import { SharedResponses } from './shared-responses.ts';

export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
}

/** What a route has read. */
export interface RouteReadResult {
  /** The snapshot of the chain that it belongs to; null where it does not come from the chain's state. */
  readonly tip: SnapshotTip | null;
  /** It depends on the mempool as well: the response is not cached and has no ETag. */
  readonly dependsOnMempool?: boolean;
}

/** A body, with the cursor of the list's next page where there is one. */
export interface JsonBody {
  readonly text: string;
  readonly nextCursor?: string | undefined;
}

export interface GetRoute<Params, Data extends RouteReadResult> {
  /** Below the API's prefix. */
  readonly path: string;
  /** For the OpenAPI document only: Fastify validates nothing, `parse` does, with the messages of mintlayer-core. */
  readonly schema: FastifySchema;
  /** Is it served while the index is being built, too? */
  readonly isAlwaysReady?: boolean;
  /** May the response depend on the mempool ({@link RouteReadResult.dependsOnMempool})? Then it is not shared with other requests. */
  readonly mayDependOnMempool?: boolean;
  /** The parameters of a request. Throws an ApiError. */
  readonly parse: (request: RouteRequest) => Params;
  /** Of a list with pages by offset: its anchors. `read` then gets a `page` that begins after one of them. */
  readonly anchors?: (params: Params) => ListAnchors<Params, unknown> | null;
  /** Reads the store. Throws an ApiError or a StoreError. */
  readonly read: (store: UnbatchedQueryRunner, params: Params) => Data | Promise<Data>;
  /** The response body, as JSON. Throws an ApiError where there is no such thing. */
  readonly present: (data: Data, params: Params) => string | JsonBody | PreparedResponse;
}

// biome-ignore lint/suspicious/noExplicitAny: the types of its stages are known where it is defined
export type AnyGetRoute = GetRoute<any, any>;

/** Adds `GET` (and with it `HEAD`) for a route. */
export function getRoute<Params, Data extends RouteReadResult>(
  app: FastifyInstance,
  context: ApiContext,
  route: GetRoute<Params, Data>,
): void {
  const { cache, metrics, tipWatch } = context;
  const path = `${app.prefix}${route.path}`;
  const pagedRoute: PagedRoute = { publicUrl: context.publicUrl, path, queryNames: queryNames(route.schema) };
  const inFlight = new SharedResponses();
  tipWatch.onChange(() => inFlight.clear());
  context.routes.set(route.path, route);
  let serial = 0;

  /** The stages before the store is read: they end with a response, or with the promise of one. */
  function respond(request: FastifyRequest): PreparedResponse | NotModified | Promise<PreparedResponse> {
    const { raw } = request;
    const params = route.parse(routeRequest(request));
    if (!route.isAlwaysReady) requireReady(context);
    const key = context.sharesResponses ? `${path} ${cacheKeyOf(params)}` : `${path} ${cacheKeyOf(params)} ${serial++}`;
    if (!route.isAlwaysReady) {
      const cached = cache.find(key, raw.url!);
      if (cached !== undefined) return cached;
      if (isConditional(raw)) {
        const etag = etagOf(context, tipWatch.tip!, fnv1a(key));
        if (etagMatches(raw, etag, false)) return new NotModified(etag);
      }
    }
    requireCapacity(context);
    const shared = inFlight.get(key);
    if (shared === undefined) return inFlight.share(key, answer(request, params, key));
    if (!route.mayDependOnMempool) return shared;
    return shared.then((response) => (response.etag === undefined ? answer(request, params, key) : response));
  }

  /** The stages from the store on. Never rejects: errors are responses, too. */
  async function answer(request: FastifyRequest, params: Params, key: string): Promise<PreparedResponse> {
    try {
      const data = await readRouteData(context, route, params, clientAddressOf(request.raw, context.isProxyTrusted));
      const body = route.present(data, params);
      if (data.tip !== null) tipWatch.noteAdvertised(data.tip.revision);
      return prepare(body, data, request, key);
    } catch (error) {
      return errorResponse(context, error);
    }
  }

  /** The response with a body, kept in the cache if it may be. */
  function prepare(
    body: string | JsonBody | PreparedResponse,
    { tip, dependsOnMempool }: Data,
    { raw, params, query }: FastifyRequest,
    key: string,
  ): PreparedResponse {
    if (body instanceof PreparedResponse) {
      context.pendingResponses.put(raw.url!, body);
      return body;
    }
    const { text, nextCursor } = typeof body === 'string' ? { text: body, nextCursor: undefined } : body;
    const headers =
      nextCursor === undefined
        ? NO_HEADERS
        : nextPageHeaders(pagedRoute, params as RouteRequest['params'], query as Query, nextCursor);
    if (tip === null || dependsOnMempool) return new PreparedResponse(text, { headers });
    const keyHash = fnv1a(key);
    const response = new PreparedResponse(text, { headers, etag: etagOf(context, tip, keyHash) });
    // The cache holds responses of the tip that is being served, and no others.
    const isServed = tip.revision === tipWatch.tip?.revision && tip.id === tipWatch.tip.id;
    if (isServed) cache.put(key, raw.url!, response, keyHash);
    return response;
  }

  app.get(route.path, { schema: route.schema }, (request, reply) => {
    // Not `reply.send`: a response is sent by `PreparedResponse` alone, whether it is made here or comes from the cache before
    // Fastify. It is encoded once, chooses 304 and the compressed form, and counts what the client has not taken.
    reply.hijack();
    const began = metrics.begin();
    tipWatch.noteRequest();
    const send = (response: PreparedResponse | NotModified): void => {
      metrics.end(path, response.status, began);
      response.send(request.raw, reply.raw);
    };
    let response: ReturnType<typeof respond>;
    try {
      response = respond(request);
    } catch (error) {
      response = errorResponse(context, error);
    }
    if (!(response instanceof Promise)) return send(response);
    response.then(send).catch((error: unknown) => {
      context.throttledLog.error('unsent', error, 'An answer could not be sent; the connection was closed.');
      reply.raw.destroy();
    });
  });
}

const NO_HEADERS: readonly string[] = [];

/** Fastify's router takes an empty segment for a parameter; here it is an unknown path. */
function routeRequest(request: FastifyRequest): RouteRequest {
  const params = request.params as RouteRequest['params'];
  for (const name in params) if (params[name] === '') throw badRequest('Bad request');
  return { params, query: request.query as Query };
}

/** The names of the query's parameters. A list that is paged by `cursor` takes `items` with it. */
function queryNames({ querystring }: FastifySchema): string[] {
  const { properties = {} } = (querystring ?? {}) as { properties?: object };
  const names = Object.keys(properties);
  return names.includes('cursor') && !names.includes('items') ? [...names, 'items'] : names;
}
