/** What every route works with, and how a route's answer becomes a response. */
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Network } from '../../chain/networks/network.ts';
import type { NodeClient } from '../../node/client.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { runAsClient } from '../../store/read/current-client.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import {
  databaseUnavailableError,
  missingPrivilegesError,
  noChainError,
  StoreError,
} from '../../store/read/store-error.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import { cacheKeyOf, nextPageUrl, type PublicRoute } from '../cache/cache-key.ts';
import { fnv1a } from '../cache/fnv1a.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { clientOf } from '../http/client-address.ts';
import type { Connections } from '../http/connections.ts';
import { etagMatches, isConditional, PreparedResponse, sendNotModified } from '../http/prepared-response.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { RepeatedLog } from '../operations/repeated-log.ts';
import type { OffsetAnchors } from '../pagination/offset-anchors.ts';
import type { UnpagedLists } from '../pagination/unpaged-lists.ts';
import type { Query } from '../parse/parameters.ts';
import type { Pending } from '../pending/pending.ts';
import type { PendingResponseCache } from '../pending/pending-response-cache.ts';
import type { PendingTexts } from '../pending/texts.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { ApiError, badRequest, unavailable } from './api-error.ts';

export interface ApiLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ApiContext {
  readonly network: Network;
  readonly profile: ResponseProfile;
  readonly store: QueryBatcher;
  readonly tipWatch: TipWatch;
  readonly cache: ResponseCache;
  readonly offsetAnchors: OffsetAnchors;
  readonly unpagedLists: UnpagedLists;
  /** Everything that is served, by its path below the API's prefix. */
  readonly routes: Map<string, GetRoute<unknown>>;
  readonly node: NodeClient | null;
  /** Transactions that wait for a block; null without a node. */
  readonly pending: Pending | null;
  readonly pendingTexts: PendingTexts;
  readonly pendingResponses: PendingResponseCache;
  readonly enablePostRoutes: boolean;
  readonly metrics: Metrics;
  readonly logger: ApiLogger;
  /** For what may happen with each request. */
  readonly repeated: RepeatedLog;
  readonly connections: Connections;
  /** Requests whose answers may be in the making at a time. */
  readonly maxRequestsInFlight: number;
  readonly isProxyTrusted: boolean;
  /** Is one answer given to all who ask the same? Only where reading itself is measured it is not. */
  readonly sharesAnswers: boolean;
  /** Was the server told to end? */
  readonly isStopping: () => boolean;
  /** What clients see before our paths, as in `https://example.org/indexer`; empty: nothing is known of it. */
  readonly publicUrl: string;
}

export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** Is a list refused that cannot be read together with those of others? */
  readonly onlyShort?: boolean;
}

export interface RouteResult {
  /** Finished JSON. */
  readonly text: string;
  /** The snapshot that the answer is of; without one it does not come from the chain's state and is not kept. */
  readonly tip?: SnapshotTip;
  /** The cursor of the list's next page. */
  readonly next?: string | undefined;
  /** It depends on what is pending, too: it is not kept, and has no ETag. */
  readonly isLive?: boolean;
  /** The response itself, where it is kept by who made it; it holds as long as the pool does that it was made of. */
  readonly finished?: PreparedResponse;
}

export interface GetRoute<Parsed> {
  readonly path: string;
  readonly schema: FastifySchema;
  /** Answers while the database is still being filled, too. */
  readonly isAlwaysReady?: boolean;
  /** May its answers depend on what is pending? Then those that do are of the time of their request, not shared. */
  readonly isLive?: boolean;
  /** Reads the request, or throws an {@link ApiError}. */
  readonly parse: (asked: RouteRequest) => Parsed;
  /** Reads the store and presents the answer. */
  readonly answer: (parsed: Parsed) => RouteResult | Promise<RouteResult>;
}

/**
 * The ETag of an answer: it depends on nothing but the tip, the question and our shapes. A question without an answer has
 * none, so who names it for another question is not told that nothing has changed.
 */
function etagOf(profile: ResponseProfile, tip: SnapshotTip | ServedTip, hash: number): string {
  return `W/"${tip.id.slice(0, 24)}-${hash.toString(36)}-${profile.shapesVersion}"`;
}

/** Adds `GET` (and with it `HEAD`) for a resource. */
export function getRoute<Parsed>(app: FastifyInstance, context: ApiContext, resource: GetRoute<Parsed>): void {
  /** Answers that are being made, by their question: those who ask the same in the meantime get the same. */
  const underWay = new Map<string, Promise<PreparedResponse>>();
  // Who asks when the tip is another one was perhaps told that tip: what was begun before may be older.
  context.tipWatch.onChange(() => underWay.clear());
  const route = `${app.prefix}${resource.path}`;
  context.routes.set(resource.path, resource as GetRoute<unknown>);
  let serial = 0;
  const place: PublicRoute = { publicUrl: context.publicUrl, route, known: knownParameters(resource.schema) };

  app.get(resource.path, { schema: resource.schema }, (request, reply) => {
    reply.hijack();
    const { raw } = request;
    const began = context.metrics.begin();
    const send = (finished: PreparedResponse): void => {
      context.metrics.end(route, finished.status, began);
      finished.send(raw, reply.raw);
    };
    context.tipWatch.noteRequest();
    const params = request.params as Record<string, string>;
    const query = request.query as Query;
    let parsed: Parsed;
    try {
      refuseEmpty(params);
      parsed = resource.parse({ params, query });
      if (!resource.isAlwaysReady) requireReady(context);
    } catch (error) {
      send(errorResponse(context, error));
      return;
    }
    const question = `${route} ${cacheKeyOf(parsed)}`;
    const key = context.sharesAnswers ? question : `${question} ${serial++}`;
    const { tip } = context.tipWatch;
    if (tip !== null && !resource.isAlwaysReady) {
      const known = context.cache.find(key, raw.url!);
      if (known !== undefined) {
        send(known);
        return;
      }
      if (isConditional(raw)) {
        const etag = etagOf(context.profile, tip, fnv1a(key));
        if (etagMatches(raw, etag, false)) {
          context.metrics.end(route, 304, began);
          sendNotModified(reply.raw, etag);
          return;
        }
      }
    }
    try {
      requireCapacity(context);
    } catch (error) {
      send(errorResponse(context, error));
      return;
    }
    const asked = { key, url: raw.url!, place, params, query };
    const client = clientOf(raw, context.isProxyTrusted);
    let answer = underWay.get(key);
    if (answer && resource.isLive) {
      answer = answer.then((shared) =>
        shared.etag === undefined ? runAsClient(client, () => finish(context, resource, parsed, asked)) : shared,
      );
    } else if (!answer) {
      const made = runAsClient(client, () => finish(context, resource, parsed, asked)).finally(() => {
        if (underWay.get(key) === made) underWay.delete(key);
      });
      underWay.set(key, made);
      answer = made;
    }
    answer.then(send).catch((error: unknown) => {
      context.repeated.error('unsent', error, 'An answer could not be sent; the connection was closed.');
      reply.raw.destroy();
    });
  });
}

/** The names of the query's parameters. A list that is paged by cursor takes the length of a page with it. */
function knownParameters({ querystring }: FastifySchema): string[] {
  const { properties = {} } = (querystring ?? {}) as { properties?: object };
  const names = Object.keys(properties);
  return names.includes('cursor') && !names.includes('items') ? [...names, 'items'] : names;
}

/** Throws the error 503 while there is no room for another answer in the making. */
export function requireCapacity({
  connections,
  metrics,
  maxRequestsInFlight,
}: Pick<ApiContext, 'connections' | 'metrics' | 'maxRequestsInFlight'>): void {
  if (connections.outbox.isFull) {
    throw new ApiError(503, 'Clients are slow to take what they asked for. Try again soon.', 5);
  }
  if (metrics.requestsInFlight > maxRequestsInFlight) {
    throw new ApiError(503, 'Too many requests are being answered. Try again soon.', 1);
  }
}

/** The router takes an empty segment for a parameter; to us the path is unknown. */
function refuseEmpty(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (params[name] === '') throw badRequest('Bad request');
}

interface AskedQuestion extends RouteRequest {
  readonly key: string;
  /** As it stood in the request. */
  readonly url: string;
  readonly place: PublicRoute;
}

/** Never rejects: errors are answers, too. */
async function finish<Parsed>(
  context: ApiContext,
  resource: GetRoute<Parsed>,
  parsed: Parsed,
  { key, url, place, params, query }: AskedQuestion,
): Promise<PreparedResponse> {
  try {
    const { text, tip, next, isLive, finished: kept } = await resource.answer(parsed);
    if (tip) context.tipWatch.noteAdvertised(tip.revision);
    if (kept) {
      context.pendingResponses.put(url, kept);
      return kept;
    }
    const headers =
      next === undefined
        ? []
        : ['x-next-cursor', next, 'link', `<${nextPageUrl(place, params, query, next)}>; rel="next"`];
    if (!tip || isLive) return new PreparedResponse(text, { headers });
    const hash = fnv1a(key);
    const finished = new PreparedResponse(text, { headers, etag: etagOf(context.profile, tip, hash) });
    // Only what belongs to the tip that we know is kept.
    if (tip.revision === context.tipWatch.tip?.revision && tip.id === context.tipWatch.tip.id)
      context.cache.put(key, url, finished, hash);
    return finished;
  } catch (error) {
    return errorResponse(context, error);
  }
}

/** Throws the error 503 while the database cannot answer for our chain. */
export function requireReady({ network, tipWatch }: Pick<ApiContext, 'network' | 'tipWatch'>): void {
  const tip = requireTip({ network, tipWatch });
  if (tip.isReady) return;
  throw new ApiError(
    503,
    `The index is being built: the scanner has reached height ${tip.height} and is not at the chain's tip yet.`,
    5,
  );
}

/** The tip of our chain, ready for reading or not; throws the error 503 when there is none. */
export function requireTip({ network, tipWatch }: Pick<ApiContext, 'network' | 'tipWatch'>): ServedTip {
  const { tip } = tipWatch;
  if (!tipWatch.isFresh) throw databaseUnavailableError();
  if (tipWatch.lacksPrivileges) throw missingPrivilegesError();
  if (tip === null) throw noChainError();
  if (tip.genesisId !== network.genesisId) {
    throw unavailable('The database holds the chain of another network than this server is for.');
  }
  return tip;
}

/** An error as the client sees it; what is our fault is logged, and shows nothing of the inside. */
export function errorResponse(context: ApiContext, error: unknown): PreparedResponse {
  const refusal = toApiError(context, error);
  const { status, retryAfter } = refusal;
  return new PreparedResponse(refusal.body, {
    status,
    headers: retryAfter === undefined ? [] : ['retry-after', String(retryAfter)],
  });
}

/** What a client is told of an error. */
export function toApiError(context: ApiContext, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError && error.kind !== 'fault') {
    if (error.kind === 'missing privileges') context.tipWatch.recheckPrivileges();
    if (error.kind === 'too slow') context.repeated.warn('too slow', error.cause ?? error, 'A read took too long.');
    return unavailable(error.message);
  }
  context.repeated.error('fault', error, 'A request failed; it was answered with 500.');
  return new ApiError(500, 'Internal server error');
}
