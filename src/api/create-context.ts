/** Creates the context of the routes, and the HTTP server in front of them, from the options. */
import type { AppOptions } from './app-options.ts';
import { FeeRateCache } from './cache/fee-rate-cache.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { DecodingThread } from './decoding/decoding-thread.ts';
import { type CachedHttpServer, createCachedHttpServer } from './http/cached-http-server.ts';
import { RequestBodyBudget } from './http/request-body-budget.ts';
import { divideMemory } from './memory-budget.ts';
import { Metrics } from './operations/metrics.ts';
import { ThrottledLog } from './operations/throttled-log.ts';
import { OffsetAnchors } from './pagination/offset-anchors.ts';
import { UnpagedLists } from './pagination/unpaged-lists.ts';
import { PendingResponseCache } from './pending/pending-response-cache.ts';
import { PendingTransactionPresenter } from './pending/pending-transaction-presenter.ts';
import { responseProfileByName } from './response-profile/by-name.ts';
import { isReady } from './route/admission.ts';
import type { ApiContext } from './route/context.ts';

interface CreatedContext {
  readonly context: ApiContext;
  readonly server: CachedHttpServer;
  readonly bodies: RequestBodyBudget;
}

const DEFAULT_MEMORY_BYTES = 1024 * 1024 * 1024;
const DEFAULT_CONNECTIONS = 10_000;

/** `isStopping` says whether the server is stopping. */
export function createContext(options: AppOptions, isStopping: () => boolean): CreatedContext {
  const { network, pending, store, tipWatch, logger } = options;
  const budget = { ...divideMemory(options.maxMemory ?? DEFAULT_MEMORY_BYTES), ...options.budget };
  const isProxyTrusted = options.trustProxy ?? false;
  const bodies = new RequestBodyBudget(budget.bodyBytes);
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
      tipStaleSeconds: () => tipWatch.staleSeconds,
      isReady: () => isReady({ network, tipWatch }),
      isConnected: () => store.isConnected && tipWatch.isFresh,
      cacheBytes: () => cache.bytes,
      unsentBytes: () => server.connections.unsent.bytes,
      bodyBytes: () => bodies.bytes,
      waitingRequests: () => server.connections.waiting,
      connectionsCut: () => server.connections.cut,
    },
    options.collectFromWorkers,
  );
  const server = createCachedHttpServer({
    cache: { get: (url) => cache.get(url) ?? pendingResponses.get(url) },
    metrics,
    isCacheValid: (now) => tipWatch.isFreshAt(now),
    noteRequest: (now) => tipWatch.noteRequest(now),
    limits: {
      connections: Math.min(options.maxConnections ?? DEFAULT_CONNECTIONS, budget.connections),
      unsentBytes: budget.unsentBytes,
      waitingRequests: budget.waitingRequests,
      requestsPerSecond: options.rateLimit ?? 0,
      isProxyTrusted,
    },
  });
  const profile = responseProfileByName(options.contract);
  const context: ApiContext = {
    network,
    profile,
    shapesVersion: '',
    store,
    tipWatch,
    cache,
    offsetAnchors,
    unpagedLists,
    routes: new Map(),
    node: options.node,
    feeRates: options.node && new FeeRateCache(options.node, logger),
    pending,
    pendingResponses,
    pendingPresenter: new PendingTransactionPresenter(profile, network, store, () => tipWatch.tip?.revision ?? 0),
    decoding: new DecodingThread(),
    enablePostRoutes: options.enablePostRoutes,
    metrics,
    logger,
    throttledLog: new ThrottledLog(logger),
    connections: server.connections,
    listBytes: budget.listBytes,
    maxRequestsInFlight: budget.requests,
    isProxyTrusted,
    sharesResponses: options.sharesResponses ?? true,
    isStopping,
    publicUrl: options.publicUrl ?? '',
  };
  return { context, server, bodies };
}
