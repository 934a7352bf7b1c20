/**
 * The way of a `GET` request, for JSON and for pages: parse → ready → cache → turn → read → present → cache → send. Every error
 * becomes a response.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { CACHE_CONTROL_DAY, requestHeader } from '../http/headers.ts';
import { PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import type { RoutedRequest, RouteGroup, RouteSchema } from '../http/routes.ts';
import { type JsonBody, nextPageHeaders, type PagedRoute } from '../pagination/list-result.ts';
import type { ListPage } from '../pagination/paging.ts';
import { acceptedExport, type ExportFormat, parseExportFormat } from '../parse/export-format.ts';
import { parseKnown } from '../parse/parameters.ts';
import type { ServingContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { respondWithExport } from './export-route.ts';
import type { GetRoute, RouteReadResult } from './get-route-stages.ts';
import { Responder } from './responder.ts';

/** Adds `GET` (and with it `HEAD`) for a route. */
export function addGetRoute<Params, Data extends RouteReadResult>(
  routes: RouteGroup,
  context: ServingContext,
  route: GetRoute<Params, Data>,
): void {
  const path = `${routes.prefix}${route.path}`;
  const pagedRoute: PagedRoute = { publicUrl: context.publicUrl, path, queryNames: queryNames(route) };
  context.routes.set(route.path, route);

  const { unitsOf = unitsOfPage } = route;
  const fail = (error: unknown): PreparedResponse => errorResponse(context, error);
  const responder = new Responder<Params, Data, RoutedRequest>(context, {
    name: path,
    isAlwaysReady: route.isAlwaysReady ?? false,
    mayDependOnMempool: route.mayDependOnMempool ?? false,
    slots: context.resources[route.resource ?? 'requests'],
    version: () => context.responseVersion,
    ...(route.exported && { vary: 'accept' }),
    read: route.read,
    present(data, { params, source: request }, etag) {
      const body = route.present(data, params);
      if (body instanceof PreparedResponse) return body;
      const {
        text,
        nextCursor,
        headers: own = NO_HEADERS,
        cacheControl,
        contentType,
      }: JsonBody = typeof body === 'string' ? { text: body } : body;
      const headers =
        nextCursor === undefined
          ? own
          : [...own, ...nextPageHeaders(pagedRoute, request.params, request.query, nextCursor)];
      return new PreparedResponse(text, {
        headers,
        etag,
        cacheControl,
        ...(contentType !== undefined && { contentType }),
        ...(route.exported && { vary: 'accept', isFor: acceptsJson }),
      });
    },
    fail,
  });

  const handle = (request: RoutedRequest): void => {
    const { raw, reply } = request;
    let params: Params;
    let format: ExportFormat | null = null;
    const { exported, isExportable = () => true } = route;
    try {
      ({ params, format } = parseKnown(context.profile, route.path, request, (known) => {
        const params = route.parse(known);
        if (exported === undefined) return { params, format: null };
        const accept = isExportable(params) ? requestHeader(raw, 'accept') : undefined;
        return { params, format: parseExportFormat(known.query, accept) };
      }));
    } catch (error) {
      sendWithoutReading(context, path, raw, reply, fail(error));
      return;
    }
    if (exported !== undefined && format !== null) {
      const began = context.metrics.begin();
      void respondWithExport(context, path, { raw, reply, format, began }, (caller) =>
        exported(params, context.store.for(caller)),
      );
      return;
    }
    void responder.respond({ raw, reply, params, units: unitsOf(params), source: request });
  };
  routes.add({ method: 'GET', path: route.path, schema: route, handle });
}

const acceptsJson = (request: IncomingMessage): boolean => acceptedExport(requestHeader(request, 'accept')) === null;

/** Returns the `cache-control` of what was after a block. No reorganisation reaches a block that is deep enough. */
export function cacheControlOfPast(tip: SnapshotTip, height: number): string | undefined {
  return tip.height - height > MAX_REORGANISATION_DEPTH ? CACHE_CONTROL_DAY : undefined;
}

const NO_HEADERS: readonly string[] = [];
/** Entries of a list that take as much as a small response. */
const ENTRIES_PER_UNIT = 12;

function unitsOfPage(params: unknown): number {
  const { page } = (params ?? {}) as { readonly page?: ListPage };
  return 1 + Math.floor((page?.limit ?? 0) / ENTRIES_PER_UNIT);
}

/** Returns the names of the query's parameters. A list that is paged by `cursor` also has `items`. */
function queryNames({ querystring }: RouteSchema): string[] {
  const { properties = {} } = (querystring ?? {}) as { properties?: object };
  const names = Object.keys(properties);
  return names.includes('cursor') && !names.includes('items') ? [...names, 'items'] : names;
}

/** Sends a response for which nothing must be read, and counts it. */
export function sendWithoutReading(
  { metrics, tipWatch }: Pick<ServingContext, 'metrics' | 'tipWatch'>,
  name: string,
  request: IncomingMessage,
  reply: ServerResponse,
  response: PreparedResponse,
): void {
  tipWatch.noteRequest();
  sendCounted(metrics, name, request, reply, response);
}
