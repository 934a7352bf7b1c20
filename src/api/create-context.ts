/** Makes what the routes of a web server work with, and the HTTP server in front of them, from its options. */
import type { AppOptions } from './app.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { type CachedHttpServer, createCachedHttpServer } from './http/cached-http-server.ts';
import { RequestBodies } from './http/request-bodies.ts';
import { divideMemory } from './memory-budget.ts';
import { Metrics } from './operations/metrics.ts';
import { RepeatedLog } from './operations/repeated-log.ts';
import { OffsetAnchors } from './pagination/offset-anchors.ts';
import { UnpagedLists } from './pagination/unpaged-lists.ts';
import { PendingResponseCache } from './pending/pending-response-cache.ts';
import { PendingTexts } from './pending/texts.ts';
import { responseProfileByName } from './response-profile/by-name.ts';
import type { ApiContext } from './route/context.ts';
import { isReady } from './route/readiness.ts';

export interface CreatedContext {
  readonly context: ApiContext;
  readonly server: CachedHttpServer;
  readonly bodies: RequestBodies;
}

const DEFAULT_MEMORY_BYTES = 1024 * 1024 * 1024;
const DEFAULT_CONNECTIONS = 10_000;

/** `isStopping` says whether the server was told to end. */
export function createContext(options: AppOptions, isStopping: () => boolean): CreatedContext {
  const { network, pending, reader: store, watch: tipWatch, logger } = options;
  const budget = { ...divideMemory(options.maxMemory ?? DEFAULT_MEMORY_BYTES), ...options.budget };
  const isProxyTrusted = options.trustProxy ?? false;
  const bodies = new RequestBodies(budget.bodyBytes);
  const cache = new ResponseCache(budget.cacheBytes);
  const offsetAnchors = new OffsetAnchors(store);
  const unpagedLists = new UnpagedLists();
  const pendingResponses = new PendingResponseCache(pending, tipWatch);
  const notifyPending = () => pending?.indexMoved(tipWatch.tip?.isReady ? tipWatch.tip.revision : null);
  tipWatch.onChange(() => {
    cache.clear();
    offsetAnchors.clear();
    unpagedLists.clear();
    notifyPending();
  });
  notifyPending();

  const metrics = new Metrics(
    {
      tip: () => tipWatch.tip,
      unconfirmedSeconds: () => tipWatch.staleSeconds,
      isReady: () => isReady({ network, tipWatch }),
      isConnected: () => store.isConnected && tipWatch.isFresh,
      cacheBytes: () => cache.bytes,
      unsentBytes: () => server.connections.outbox.bytes,
      bodyBytes: () => bodies.bytes,
      waitingRequests: () => server.connections.waiting,
      connectionsCut: () => server.connections.cut,
    },
    options.gather,
  );
  const server = createCachedHttpServer({
    cache: { get: (url) => cache.get(url) ?? pendingResponses.get(url) },
    metrics,
    isCacheValid: () => tipWatch.isFresh,
    noteRequest: () => tipWatch.noteRequest(),
    limits: {
      connections: Math.min(options.maxConnections ?? DEFAULT_CONNECTIONS, budget.connections),
      unsentBytes: budget.unsentBytes,
      waitingRequests: budget.waitingRequests,
      requestsPerSecond: options.rateLimit ?? 0,
      isProxyTrusted,
    },
  });
  const context: ApiContext = {
    network,
    profile: responseProfileByName(options.contract),
    shapesVersion: '',
    store,
    tipWatch,
    cache,
    offsetAnchors,
    unpagedLists,
    routes: new Map(),
    node: options.node,
    pending,
    pendingResponses,
    pendingTexts: new PendingTexts(network, store, () => tipWatch.tip?.revision ?? 0),
    enablePostRoutes: options.enablePostRoutes,
    metrics,
    logger,
    repeated: new RepeatedLog(logger),
    connections: server.connections,
    maxRequestsInFlight: budget.requests,
    isProxyTrusted,
    sharesAnswers: options.sharesAnswers ?? true,
    isStopping,
    publicUrl: options.publicUrl ?? '',
  };
  return { context, server, bodies };
}
