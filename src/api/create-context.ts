/** Creates the context of the routes, and the HTTP server in front of them, from the options. */
import type { AppOptions } from './app-options.ts';
import { FeeRateCache } from './cache/fee-rate-cache.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { DecodingThread } from './decoding/decoding-thread.ts';
import { type CachedHttpServer, createCachedHttpServer } from './http/cached-http-server.ts';
import { ThrottledLog } from './logging/throttled-log.ts';
import { Metrics } from './metrics/metrics.ts';
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
}

/** `isStopping` says whether the server is stopping. */
export function createContext(options: AppOptions, isStopping: () => boolean): CreatedContext {
  const { network, pending, resources, store, tipWatch, logger } = options;
  const cache = new ResponseCache(resources.totals.cache_bytes);
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
      lateConnections: () => server.connections.late,
      resources,
    },
    options.siblings,
  );
  const server = createCachedHttpServer({
    cache: { get: (url) => cache.get(url) ?? pendingResponses.get(url) },
    metrics,
    isCacheValid: (now) => tipWatch.isFreshAt(now),
    noteRequest: (now) => tipWatch.noteRequest(now),
    requestsPerSecond: options.rateLimit ?? 0,
    resources,
    trustedProxies: options.trustedProxies ?? 0,
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
    decoding: new DecodingThread(resources.decodings),
    enablePostRoutes: options.enablePostRoutes,
    metrics,
    logger,
    throttledLog: new ThrottledLog(logger),
    resources,
    sharesResponses: options.sharesResponses ?? true,
    isStopping,
    publicUrl: options.publicUrl ?? '',
  };
  return { context, server };
}
