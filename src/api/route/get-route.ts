/**
 * A `GET` route as a value: its stages are functions, each typed by the one before. Its requests are parsed here and answered
 * by a responder: parse → ready → cache → read → present → send.
 */

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import Type, { type TProperties, type TSchema } from 'typebox';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { extendedObject } from '../../render/schemas/common.ts';
import type { Caller } from '../../resources/caller.ts';
import type { List } from '../../store/queries/define-list.ts';
import type { SnapshotRows, SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { badRequest } from '../errors/api-error.ts';
import { CACHE_CONTROL_DAY, requestHeader } from '../http/headers.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { type JsonBody, listResult, nextPageHeaders, type PagedRoute } from '../pagination/list-result.ts';
import { type ListPage, NEXT_PAGE_HEADERS, type Paging } from '../pagination/paging.ts';
import {
  acceptedExport,
  EXPORT_PARAMETERS,
  type ExportFormat,
  parseExportFormat,
  withExports,
} from '../parse/export-format.ts';
import type { UrlQuery } from '../parse/parameters.ts';
import { responseSchemas, responsesWithoutEtag } from '../schemas/parameters-and-responses.ts';
import type { ApiContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { respondWithExport } from './export-route.ts';
import type { AnyListExport, GetRoute, RouteReadResult, RouteRequest } from './get-route-stages.ts';
import { createResponder, sendWithoutReading } from './get-stages.ts';

/** Adds `GET` (and with it `HEAD`) for a route. */
export function addGetRoute<Params, Data extends RouteReadResult>(
  app: FastifyInstance,
  context: ApiContext,
  route: GetRoute<Params, Data>,
): void {
  const path = `${app.prefix}${route.path}`;
  const pagedRoute: PagedRoute = { publicUrl: context.publicUrl, path, queryNames: queryNames(route.schema) };
  context.routes.set(route.path, route);

  const { unitsOf = unitsOfPage } = route;
  const fail = (error: unknown): PreparedResponse => errorResponse(context, error);
  const respond = createResponder<Params, Data, FastifyRequest>(context, {
    name: path,
    isAlwaysReady: route.isAlwaysReady ?? false,
    mayDependOnMempool: route.mayDependOnMempool ?? false,
    slots: context.resources[route.resource ?? 'requests'],
    version: () => context.shapesVersion,
    ...(route.exported && { vary: 'accept' }),
    read: route.read,
    present(data, { params, source: request }, etag) {
      const body = route.present(data, params);
      if (body instanceof PreparedResponse) return body;
      const { text, nextCursor, cacheControl, contentType }: JsonBody =
        typeof body === 'string' ? { text: body } : body;
      const headers =
        nextCursor === undefined
          ? NO_HEADERS
          : nextPageHeaders(
              pagedRoute,
              request.params as RouteRequest['params'],
              request.query as UrlQuery,
              nextCursor,
            );
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

  app.get(route.path, { schema: route.schema }, (request, reply) => {
    // Not `reply.send`: only `PreparedResponse` sends, for new and cached responses. It is encoded once, chooses 304
    // and the compressed form, and counts the unsent bytes.
    reply.hijack();
    let params: Params;
    let format: ExportFormat | null = null;
    const { exported, isExportable = () => true } = route;
    try {
      params = route.parse(routeRequest(request));
      if (exported !== undefined) {
        const accept = isExportable(params) ? requestHeader(request.raw, 'accept') : undefined;
        format = parseExportFormat(request.query as UrlQuery, accept);
      }
    } catch (error) {
      sendWithoutReading(context, path, request.raw, reply.raw, fail(error));
      return;
    }
    if (exported !== undefined && format !== null) {
      const began = context.metrics.begin();
      void respondWithExport(context, path, { raw: request.raw, reply: reply.raw, format, began }, (caller) =>
        exported(params, context.store.for(caller)),
      );
      return;
    }
    respond({ raw: request.raw, reply: reply.raw, params, units: unitsOf(params), source: request });
  });
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

/** Fastify's router accepts an empty segment as a parameter; here it is an unknown path. */
function routeRequest(request: FastifyRequest): RouteRequest {
  const params = request.params as RouteRequest['params'];
  for (const name in params) if (params[name] === '') throw badRequest('Bad request');
  return { params, query: request.query as UrlQuery };
}

/** Returns the names of the query's parameters. A list that is paged by `cursor` also has `items`. */
function queryNames({ querystring }: FastifySchema): string[] {
  const { properties = {} } = (querystring ?? {}) as { properties?: object };
  const names = Object.keys(properties);
  return names.includes('cursor') && !names.includes('items') ? [...names, 'items'] : names;
}

/** The parameters of a list: what selects its entries, and the page. */
type Paged<Selection, Key, Whole extends null> = Selection & { readonly page: ListPage<Key, Whole> };

type EntryWriter<Entry> = (entry: Entry) => string;
type MaybePromise<Value> = Value | Promise<Value>;

interface ListRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Whole extends null,
  Params extends Paged<Selection, Key, Whole>,
> {
  /** The path below the API's prefix. */
  readonly path: string;
  readonly schema: FastifySchema & { readonly querystring?: undefined; readonly response?: undefined };
  /** The query parameters besides those of pages. */
  readonly query?: TProperties;
  /** The schema of an entry. */
  readonly entry: TSchema;
  /** False if no page has an `ETag`; by default each has one. */
  readonly hasEtag?: false;
  /** The statuses of errors besides 400. */
  readonly errors?: readonly number[];
  readonly paging: Paging<Whole>;
  readonly list:
    | List<Selection, Key, Row, Entry, Whole>
    | ((selection: Selection) => List<Selection, Key, Row, Entry, Whole>);
  /**
   * Reads a page that does not come from the list's query; null for one that does. Throws an ApiError or a StoreError.
   */
  readonly readOther?: (store: UnbatchedQueryRunner, params: Params, caller: Caller) => Promise<OtherPage<Row>> | null;
  /** The field `sums` of the envelope, of every page: what the rows know of the whole list. There is at least one row. */
  readonly sums?: { readonly schema: TSchema; readonly json: (row: Row) => string };
  /** Makes the export of the entries from the page on; without it there is none. */
  readonly exported?: (params: Params, store: UnbatchedQueryRunner) => AnyListExport | Promise<AnyListExport>;
  readonly isExportable?: (params: Params) => boolean;
  /** Returns the parameters of a request. `paged`: parses the page for a selection. Throws an ApiError. */
  readonly parse: (
    request: RouteRequest,
    paged: (query: UrlQuery, selection: Selection) => Paged<Selection, Key, Whole>,
  ) => Params;
  /** Throws an ApiError if rows or parameters are wrong. */
  readonly check?: (rows: readonly Row[], params: Params) => void;
  /** Returns the writer of an entry's JSON. It may read more data at the same tip. Throws an ApiError or a StoreError. */
  readonly writer: (
    listed: SnapshotRows<Row>,
    params: Params,
    store: UnbatchedQueryRunner,
  ) => MaybePromise<EntryWriter<Entry>>;
}

/** The rows of a page, one more than it shows if there is a next one. */
export interface OtherPage<Row> extends SnapshotRows<Row> {
  readonly cacheControl?: string | undefined;
}

/** Adds the route of a list. */
export function addListRoute<
  Selection extends object,
  Key extends object,
  Row,
  Entry extends Row,
  Whole extends null,
  Params extends Paged<Selection, Key, Whole>,
>(app: FastifyInstance, context: ApiContext, route: ListRoute<Selection, Key, Row, Entry, Whole, Params>): void {
  const {
    path,
    schema,
    query,
    entry,
    hasEtag = true,
    errors = [],
    paging,
    list,
    parse,
    check,
    writer,
    readOther,
    exported,
    isExportable,
    sums,
  } = route;
  const envelope = paging.schema(entry);
  const listOf = (selection: Selection) => (typeof list === 'function' ? list(selection) : list);
  const page = sums === undefined ? envelope : extendedObject(envelope, { sums: sums.schema });
  const responses = (hasEtag ? responseSchemas : responsesWithoutEtag)(page, [400, ...errors], NEXT_PAGE_HEADERS);

  addGetRoute(app, context, {
    path,
    schema: {
      ...schema,
      querystring: Type.Object({ ...paging.parameters, ...query, ...(exported && EXPORT_PARAMETERS) }),
      response: exported ? withExports(responses) : responses,
    },
    ...(exported && { exported, isExportable }),
    parse: (request) =>
      parse(request, (text, selection) => ({ ...selection, page: paging.parse(text, listOf(selection), selection) })),
    read: (store, params, caller) => {
      const chosen = listOf(params);
      const read = async (from: Params) => {
        const other = readOther?.(store, from, caller) ?? null;
        const listed: OtherPage<Row> =
          other === null ? await context.wholeLists.readPage(store, chosen, from, from.page) : await other;
        return { ...listed, write: await writer(listed, from, store) };
      };
      const { anchors } = chosen;
      return anchors === undefined ? read(params) : context.offsetAnchors.readPage(anchors, params, read);
    },
    present: ({ rows, write, cacheControl }, params) => {
      check?.(rows, params);
      const more = sums === undefined ? '' : `,"sums":${sums.json(rows[0]!)}`;
      return { ...listResult(listOf(params), params.page, rows, write, more), cacheControl };
    },
  });
}
