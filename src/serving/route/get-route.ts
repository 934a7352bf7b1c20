/**
 * The way of a `GET` request, for JSON and for pages: parse → ready → cache → turn → read → present → cache → send. Every error
 * becomes a response.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { cacheKeyOf } from '../cache/response-cache.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import { callerOf } from '../http/connection.ts';
import {
  CACHE_CONTROL_DAY,
  chainPositionText,
  etagHash,
  etagMatches,
  etagOf,
  isConditional,
  requestHeader,
} from '../http/headers.ts';
import { NotModified, PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import type { RoutedRequest, RouteGroup, RouteSchema } from '../http/routes.ts';
import { type JsonBody, nextPageHeaders, type PagedRoute } from '../pagination/list-result.ts';
import type { ListPage } from '../pagination/paging.ts';
import { acceptedExport, type ExportFormat, parseExportFormat } from '../parse/export-format.ts';
import { parseKnown } from '../parse/parameters.ts';
import { type Caller, ClientGone } from '../resources/caller.ts';
import { ResourceRefusal } from '../resources/shared-resources.ts';
import { HeldUnits, type Slots } from '../resources/slots.ts';
import type { ServingContext } from './context.ts';
import { errorResponse } from './error-response.ts';
import { respondWithExport } from './export-route.ts';
import type { GetRoute, RouteReadResult } from './get-route-stages.ts';
import { requireReady, withChainTip } from './readiness.ts';

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

/** A request after its parameters were parsed. */
interface ParsedRequest<Params, Source> {
  readonly raw: IncomingMessage;
  readonly reply: ServerResponse;
  readonly params: Params;
  /** Cost of reading and rendering, in units of the stages' `slots`. */
  readonly units: number;
  /** The rest of the request, for `present` and `fail`. */
  readonly source: Source;
}

/** The stages of one kind of request. */
interface ResponderStages<Params, Data extends RouteReadResult, Source> {
  /** The label of its responses in metrics, and the beginning of its cache keys. */
  readonly name: string;
  /** Is it also served while the index is being built? */
  readonly isAlwaysReady: boolean;
  /** May the response depend on the mempool? Then requests that came after it was begun do not get it. */
  readonly mayDependOnMempool: boolean;
  /** Held from the first read to the response. */
  readonly slots: Slots;
  /** Returns the version of the response shape, part of the ETag. */
  readonly version: () => string;
  /** The header `vary` of a response 304, besides what all have. */
  readonly vary?: string;
  /** Reads the store on behalf of a client. Called again when it throws `SnapshotChanged`. */
  readonly read: (store: QueryRunner, params: Params, caller: Caller) => Data | Promise<Data>;
  /** The response, with this ETag unless it is undefined: then the response depends on more than the tip. */
  readonly present: (data: Data, request: ParsedRequest<Params, Source>, etag: string | undefined) => PreparedResponse;
  /** The response for an error. */
  readonly fail: (error: unknown, source: Source) => PreparedResponse;
}

/** From this size on, the next request for a response takes units by its size, which is unknown before. */
const LARGE_BYTES = 512 * 1024;
const BYTES_PER_UNIT = 64 * 1024;
const MAX_LARGE_REQUESTS = 1_000;

/** Answers requests through these stages. */
export class Responder<Params, Data extends RouteReadResult, Source> {
  readonly #context: ServingContext;
  readonly #stages: ResponderStages<Params, Data, Source>;
  /** The units of responses that were large the last time, by key. */
  readonly #largeUnits = new Map<string, number>();

  constructor(context: ServingContext, stages: ResponderStages<Params, Data, Source>) {
    this.#context = context;
    this.#stages = stages;
  }

  /** Answers a request, and counts it. */
  async respond(request: ParsedRequest<Params, Source>): Promise<void> {
    const { raw, reply, source } = request;
    const { metrics, tipWatch } = this.#context;
    const began = metrics.begin();
    tipWatch.noteRequest(began);
    try {
      const response = await this.#answer(request).catch((error: unknown) => this.#stages.fail(error, source));
      metrics.end(this.#stages.name, response.status, began);
      response.send(raw, reply);
    } catch (error) {
      closeUnanswered(this.#context, reply, error);
    }
  }

  /** Returns the response of the cache or of an equal request in progress, or makes it at the client's turn. */
  async #answer(request: ParsedRequest<Params, Source>): Promise<PreparedResponse | NotModified> {
    const { raw, params } = request;
    const { sharesResponses } = this.#context;
    const { inProgress } = this.#context.cache;
    const { name, isAlwaysReady, mayDependOnMempool, slots } = this.#stages;
    if (!isAlwaysReady) requireReady(this.#context);
    const key = `${name} ${cacheKeyOf(params)}`;
    const caller = callerOf(raw);
    const arrivedAt = inProgress.now();
    let hasWaitedInVain = false;
    for (;;) {
      const known = this.#findKnown(key, raw);
      if (known !== undefined) return known;
      const other = inProgress.get(key);
      if (other === undefined || !sharesResponses) {
        const units = this.#largeUnits.get(key) ?? request.units;
        const isFree = slots.tryAcquire(caller.client, units);
        if (!isFree) await slots.acquire(caller, units);
        // While it waited, others may have asked for the same.
        if (isFree || !sharesResponses || (!inProgress.get(key) && !this.#findKnown(key, raw))) {
          return inProgress.share(key, this.#make(request, key, caller, units), caller.client);
        }
        slots.release(caller.client, units);
        continue;
      }
      try {
        const response = await other.result!;
        // What was read of the mempool before this request came may be older than the state that its client knows.
        const isNewEnough = !mayDependOnMempool || other.begunAt > arrivedAt;
        if (isNewEnough || response.etag !== undefined || response.status >= 500) return response;
      } catch (error) {
        // It concerns only the client that read. A request of another client reads for those that are left.
        if (!(error instanceof ResourceRefusal)) continue;
        if (other.client === caller.client) throw error;
        if (hasWaitedInVain) throw unavailable('busy');
        hasWaitedInVain = true;
      }
    }
  }

  /** Returns the cached response, or 304 for a client that has it; undefined if it is neither. */
  #findKnown(key: string, raw: IncomingMessage): PreparedResponse | NotModified | undefined {
    if (this.#stages.isAlwaysReady) return undefined;
    const { cache, sharesResponses, tipWatch } = this.#context;
    const cached = sharesResponses ? cache.find(key, raw.url!) : undefined;
    const { tip } = tipWatch;
    if (cached !== undefined || tip === null || !isConditional(raw)) return cached;
    const etag = etagOf(this.#stages.version(), tip, etagHash(key));
    return etagMatches(raw, etag, false) ? new NotModified(etag, chainPositionText(tip), this.#stages.vary) : undefined;
  }

  /**
   * The stages from the store on, while units of the client are held. Errors are responses, too, but for those that concern only
   * this client: it rejects with a {@link ResourceRefusal} or {@link ClientGone}.
   */
  async #make(
    request: ParsedRequest<Params, Source>,
    key: string,
    caller: Caller,
    units: number,
  ): Promise<PreparedResponse> {
    const stages = this.#stages;
    const held = new HeldUnits(stages.slots, caller, units);
    const callersStore = this.#context.store.for(caller, held);
    try {
      // As `readOneSnapshot` does: each request would pass one more file.
      for (;;) {
        let tip: SnapshotTip | null = null;
        try {
          const data = await stages.read(callersStore, request.params, caller);
          tip = data.tip;
          return this.#prepare(data, request, key);
        } catch (error) {
          if (error instanceof SnapshotChanged) continue;
          if (error instanceof ClientGone || error instanceof ResourceRefusal) throw error;
          const response = stages.fail(error, request.source);
          return tip === null ? response : withChainTip(this.#context, tip, response);
        }
      }
    } finally {
      held.end();
    }
  }

  /** Presents what was read, and caches it. */
  #prepare(data: Data, request: ParsedRequest<Params, Source>, key: string): PreparedResponse {
    const stages = this.#stages;
    const { cache, tipWatch } = this.#context;
    const { tip, isCurrent } = data;
    const keyHash = etagHash(key);
    const isOfTipAlone = !data.dependsOnMempool && !data.dependsOnHistory;
    const etag = tip !== null && isOfTipAlone ? etagOf(stages.version(), tip, keyHash) : undefined;
    const response = stages.present(data, request, etag);
    if (response.size > LARGE_BYTES) {
      if (this.#largeUnits.size >= MAX_LARGE_REQUESTS) this.#largeUnits.clear();
      this.#largeUnits.set(key, Math.ceil(response.size / BYTES_PER_UNIT));
    }
    if (tip !== null) withChainTip(this.#context, tip, response);
    // The cache holds responses of the tip that is being served, and no others.
    const isServed = tip === null || (tip.revision === tipWatch.tip?.revision && tip.id === tipWatch.tip.id);
    const isLasting = etag === undefined ? isCurrent !== undefined : response.etag === etag;
    if (isServed && isLasting) cache.put(key, request.raw.url!, response.validWhile(isCurrent), keyHash);
    return response;
  }
}

/** Closes the connection of a request whose answer cannot be sent. */
export function closeUnanswered(
  { throttledLog }: Pick<ServingContext, 'throttledLog'>,
  reply: ServerResponse,
  error: unknown,
): void {
  throttledLog.error('unsent', error, 'An answer could not be sent; the connection was closed.');
  reply.destroy();
}
