/** The web server without processes and ports: its options, the context and the routes. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { CreateBrowserPages, StatusEvents } from '../answers/answers-context.ts';
import { FeeRateCache } from '../answers/fee-rate-cache.ts';
import { type MarksFile, NO_MARKS } from '../answers/marks-file.ts';
import type { PendingTransactions } from '../answers/pending/pending-transactions-interface.ts';
import type { Network } from '../chain/networks/network.ts';
import { buildText } from '../config/this-build.ts';
import type { ResponseProfileName } from '../config/web-server.ts';
import type { MonitorRoutes } from '../monitoring/monitor-server.ts';
import { type MetricSample, samplesByLabelValue } from '../monitoring/process-registry.ts';
import type { NodeClient } from '../node/client.ts';
import type { SiblingWorkers } from '../processes/sibling-workers.ts';
import { SCHEMA_COMPONENTS } from '../render/schemas/components.ts';
import { HolderSnapshots } from '../serving/cache/holder-snapshots.ts';
import { ResponseCache } from '../serving/cache/response-cache.ts';
import { DecodingThread } from '../serving/decoding/decoding-thread.ts';
import { badRequest } from '../serving/errors/api-error.ts';
import type { LoggedRequest } from '../serving/http/access-log.ts';
import { type CachedHttpServer, createCachedHttpServer } from '../serving/http/cached-http-server.ts';
import { etagHash } from '../serving/http/headers.ts';
import { PreparedResponse, sendCounted } from '../serving/http/prepared-response.ts';
import { type NoRoute, type RouteGroup, Routes } from '../serving/http/routes.ts';
import { type ApiLogger, ThrottledLog } from '../serving/logging/throttled-log.ts';
import { Metrics, nodeFigures, resourceFigures } from '../serving/metrics/metrics.ts';
import { OffsetAnchors } from '../serving/pagination/offset-anchors.ts';
import { WholeListReader } from '../serving/pagination/whole-list-reader.ts';
import type { WebServerResources } from '../serving/resources/create-resources.ts';
import type { ReadPool } from '../serving/resources/read-pool.ts';
import { errorResponse } from '../serving/route/error-response.ts';
import { MinTips } from '../serving/route/min-tip.ts';
import { logReadiness, whyNotReady } from '../serving/route/readiness.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import type { ApiContext } from './api-context.ts';
import { meshRoutes } from './mesh/routes.ts';
import { type OpenApiDocument, openApiDocument } from './openapi/assemble-document.ts';
import { documentHead, documentRoutes } from './openapi/document.ts';
import { documentationPageRoutes } from './openapi/documentation-page.ts';
import { operationsResponses, operationsRoutes } from './operator-endpoints/health-and-metrics.ts';
import { createNodeReporter, statusRoute } from './operator-endpoints/status.ts';
import { mempoolStreamEvents } from './pending/mempool-stream-events.ts';
import { PendingTransactionPresenter } from './pending/pending-transaction-presenter.ts';
import { NET_CHANGE } from './present/transaction-summary.ts';
import { responseProfileByName } from './response-profile/profile-by-name.ts';
import type { MempoolStreamEvents } from './stream/stream-event.ts';
import { type StreamLimits, StreamService } from './stream/stream-service.ts';
import { addressListRoutes, addressOwnedObjectRoutes, addressRoute } from './v2/address.ts';
import { addressHistoryRoutes } from './v2/address-history.ts';
import { batchRoute } from './v2/batch.ts';
import { blockRoutes } from './v2/block.ts';
import { chainRoutes, reorganisationRoutes, versionsRoute } from './v2/chain.ts';
import { decodeRoute } from './v2/decode.ts';
import { delegationRoutes } from './v2/delegation.ts';
import { feeRateRoute } from './v2/fee-rate.ts';
import { holderRoutes } from './v2/holders.ts';
import { htlcRoutes } from './v2/htlc.ts';
import { estimateRoute, marketRoutes, tradeRoutes } from './v2/market.ts';
import { marksRoutes } from './v2/marks.ts';
import { mempoolRoutes, pendingAddressRoutes, pendingTransactionRoutes } from './v2/mempool.ts';
import { bookRoutes, orderRoutes } from './v2/order.ts';
import { listsOfPoolRoutes, poolRoutes } from './v2/pool.ts';
import { rawRoutes } from './v2/raw.ts';
import { searchRoutes } from './v2/search.ts';
import { seriesRoutes } from './v2/series.ts';
import { stakingDayRoutes, stakingIncomeRoutes } from './v2/staking-days.ts';
import { statementRoutes } from './v2/statement.ts';
import { statisticsRoutes } from './v2/statistics.ts';
import { streamRoute } from './v2/stream.ts';
import { submissionRoute } from './v2/submission.ts';
import { nftRoutes, tokenListRoutes, tokenRoutes } from './v2/token.ts';
import { merklePathRoute, transactionOutputRoutes, transactionRoutes } from './v2/transaction.ts';
import { utxoRoutes } from './v2/utxos.ts';
import { verifyMessageRoute } from './v2/verify-message.ts';
import { walletRoute } from './v2/wallet.ts';
import { walletHistoryRoutes } from './v2/wallet-history.ts';

export interface Application {
  /** Listens where its caller says. */
  readonly server: Server;
  /** The endpoints for monitoring, for their own address. */
  readonly operations: MonitorRoutes;
  /** The OpenAPI document without examples. */
  readonly document: () => OpenApiDocument;
  /** Makes `/ready` respond that the server is stopping. */
  announceStop(): void;
  /** Ends the streams, waits for the connections to end, and releases everything. */
  close(): Promise<void>;
}

export function buildApp(options: AppOptions): Application {
  let isStopping = false;
  const reportNode = createNodeReporter(options);
  const { context, server: cachedServer } = createContext(options, () => isStopping, reportNode);
  const { profile, network, publicUrl } = context;
  const streams = createStreams(options, context);
  const { hub } = streams;
  const endReadinessLog = logReadiness(context, context.logger);
  options.marks?.watch({ logger: context.logger, onChange: () => context.cache.clear() });

  const routes = new Routes((refused, request, response) =>
    sendCounted(context.metrics, 'none', request, response, refusal(context, refused)),
  );
  for (const [name, schema] of Object.entries(SCHEMA_COMPONENTS)) routes.addComponent(name, schema);
  routes.addComponent('NetChange', NET_CHANGE.schema);
  const hasMesh = options.hasMesh ?? false;
  const document = () => openApiDocument(documentHead(profile, network, publicUrl, hasMesh), routes);
  versionsRoute(routes, context);
  statusRoute(routes, context);
  const operations = operationsResponses(context);
  operationsRoutes(routes, operations, !options.hasMetricsAddress);
  documentRoutes(routes, context, document);
  documentationPageRoutes(routes, context);
  const v2 = routes.below(API_PREFIX);
  for (const addRoutes of V2_ROUTES) addRoutes(v2, context);
  streamRoute(v2, context, streams);
  if (hasMesh) meshRoutes(routes.below('/mesh'), context);
  const statusEvents: StatusEvents = {
    areWanted: () => hub.wantsStatus,
    tell: (conditions) => hub.publish({ type: 'status', conditions }),
  };
  const pages = options.pages?.(routes, context, statusEvents) ?? null;

  const server = cachedServer.listen({
    routes: routes.serve,
    takePage: (request, response) => pages?.take(request, response) === true,
  });
  return {
    server,
    operations,
    document,
    announceStop: () => {
      isStopping = true;
      cachedServer.connections.isStopping = true;
    },
    close: async () => {
      void hub.end();
      if (server.listening) {
        const closed = once(server, 'close');
        server.close();
        server.closeIdleConnections();
        await closed;
      }
      endReadinessLog();
      options.marks?.close();
      pages?.close();
      await context.decoding.close();
    },
  };
}

/** The response to a request without a route: 405 for a known path, otherwise 400, as mintlayer-core responds. */
function refusal(context: ApiContext, refused: NoRoute): PreparedResponse {
  switch (refused.kind) {
    case 'other methods':
      return new PreparedResponse('', { status: 405, contentType: null, headers: ['allow', refused.allow] });
    case 'undecodable':
      return errorResponse(context, badRequest(`Invalid URL: Invalid UTF-8 in \`${refused.parameter}\``));
    case 'unknown path':
      // At such a URL a browser may get a page.
      return new PreparedResponse(badRequest('Bad request').body, { status: 400, vary: 'accept' });
  }
}

function createStreams({ pendingEvents, streams: limits = {} }: AppOptions, context: ApiContext): StreamService {
  const { replays, unsent_bytes: unsent, streams: held } = context.resources;
  const pending = pendingEvents ?? (context.pending && mempoolStreamEvents(context.network, context.pending));
  const streams = new StreamService({ ...context, pending, limits, replays, unsent, streams: held });
  context.metrics.addStreams(streams.hub.counts);
  return streams;
}

/** The server that is read from, with its role. */
function databaseInUse({ database, replication }: TipWatch): readonly MetricSample[] {
  if (replication === null) return [];
  const { isReplica, timeline } = replication;
  const labels = { database, role: isReplica ? 'replica' : 'primary', timeline: timeline ?? '' };
  return [{ labels, value: 1 }];
}

/** Adds the figures that are not counted by {@link Metrics} itself. */
function addFigures(
  { pending, resources, store, tipWatch, node }: AppOptions,
  { metrics, cache, server, readiness, reportNode }: FigureSources,
): void {
  metrics.add({
    ...resourceFigures(resources),
    ...nodeFigures(reportNode),
    connections_late_total: () => server.connections.late,
    connections_fragmented_total: () => server.connections.fragmented,
    tip_height_blocks: () => tipWatch.tip?.height ?? 0,
    tip_timestamp_seconds: () => tipWatch.tip?.timestamp ?? 0,
    tip_unconfirmed_seconds: () => tipWatch.staleSeconds,
    database_in_use: () => databaseInUse(tipWatch),
    replica_lag_seconds: () => (tipWatch.replication?.isReplica ? tipWatch.replication.lagSeconds : null),
    ready: () => Number(whyNotReady(readiness) === null),
    database_connected: () => Number(store.isConnected && tipWatch.isFresh),
    node_in_use: () => samplesByLabelValue('node', node?.usage ?? {}),
    node_problem: () =>
      Object.entries(node?.problems ?? {}).map(([name, { kind }]) => ({
        labels: { node: name, problem: kind },
        value: 1,
      })),
    mempool_complete: () => pending && Number(pending.pool.isAvailable && pending.pool.isComplete),
    mempool_transactions: () => (pending?.pool.isAvailable ? pending.pool.size : null),
    cache_bytes: () => cache.bytes,
  });
}

interface FigureSources {
  readonly metrics: Metrics;
  readonly cache: ResponseCache;
  readonly server: CachedHttpServer;
  readonly readiness: Parameters<typeof whyNotReady>[0];
  readonly reportNode: ReturnType<typeof createNodeReporter>;
}

interface CreatedContext {
  readonly context: ApiContext;
  readonly server: CachedHttpServer;
}

/** `isStopping`: is the server stopping? */
function createContext(
  options: AppOptions,
  isStopping: () => boolean,
  reportNode: ReturnType<typeof createNodeReporter>,
): CreatedContext {
  const { network, pending, resources, store, tipWatch, logger } = options;
  const cache = new ResponseCache(resources.totals.cache_bytes);
  const offsetAnchors = new OffsetAnchors(store);
  const wholeLists = new WholeListReader();
  const notifyPending = () => pending?.indexMoved(tipWatch.tip?.isReady ? tipWatch.tip : null);
  tipWatch.onChange(() => {
    cache.clear();
    offsetAnchors.clear();
    wholeLists.clear();
    notifyPending();
  });
  notifyPending();

  const readiness = { network, tipWatch, isStopping };
  const metrics = new Metrics(options.siblings);
  const throttledLog = new ThrottledLog(logger);
  const minTips = new MinTips({ network, tipWatch, store, resources, metrics, throttledLog });
  const server = createCachedHttpServer({
    cache,
    metrics,
    minTips,
    tipWatch,
    requestsPerSecond: options.rateLimit ?? 0,
    resources,
    trustedProxies: options.trustedProxies ?? 0,
    accessLog: options.accessLog ?? null,
  });
  addFigures(options, { metrics, cache, server, readiness, reportNode });
  const profile = responseProfileByName(options.contract);
  const context: ApiContext = {
    network,
    profile,
    responseVersion: etagHash(`${profile.name} ${buildText()}`).toString(36),
    store,
    tipWatch,
    cache,
    offsetAnchors,
    wholeLists,
    holderSnapshots: new HolderSnapshots(resources.snapshot_bytes),
    routes: new Map(),
    node: options.node,
    reportNode,
    feeRates: options.node && new FeeRateCache(options.node, logger),
    pending,
    pendingPresenter: new PendingTransactionPresenter(profile, network, store, () => tipWatch.tip?.revision ?? 0),
    decoding: new DecodingThread(resources.decodings),
    marks: options.marks ?? { current: NO_MARKS },
    enablePostRoutes: options.enablePostRoutes,
    metrics,
    logger,
    throttledLog,
    exportPatienceMs: options.exportPatienceMs,
    minTips,
    resources,
    sharesResponses: options.sharesResponses ?? true,
    isStopping,
    publicUrl: options.publicUrl ?? '',
  };
  return { context, server };
}

export interface AppOptions {
  readonly network: Network;
  readonly contract: ResponseProfileName;
  readonly store: ReadPool;
  readonly tipWatch: TipWatch;
  /** The node, for fee rates, encoded blocks and submissions; if null, these respond with 503. */
  readonly node: NodeClient | null;
  /** The pending transactions; null if the mempool is unknown. */
  readonly pending: PendingTransactions | null;
  readonly enablePostRoutes: boolean;
  /** Is there the Mesh API? */
  readonly hasMesh?: boolean;
  /** What the operator says of tokens, pools and addresses; null: nothing. */
  readonly marks?: MarksFile | null;
  readonly logger: ApiLogger;
  /** How long the client of an export may keep the server waiting, in milliseconds; a minute and more by default. */
  readonly exportPatienceMs?: number;
  /** The resources that clients share. */
  readonly resources: WebServerResources;
  /** Requests per second and client; 0, the default, means no limit. */
  readonly rateLimit?: number;
  /** The number of proxies through which clients come, each of which appends an address to `x-forwarded-for`; 0 by default. */
  readonly trustedProxies?: number;
  /** Gets each request when it is answered. */
  readonly accessLog?: (request: LoggedRequest) => void;
  /** The public URL of `/`, without a slash at its end. */
  readonly publicUrl?: string;
  /** False to make each response anew, for measurements. */
  readonly sharesResponses?: boolean;
  /** Does `/metrics` have its own address? */
  readonly hasMetricsAddress?: boolean;
  /** Limits of event streams that differ from the defaults: of all processes for the server, of one for its application. */
  readonly streams?: Partial<StreamLimits>;
  /** Events of the mempool instead of those of `pending`; for tests. */
  readonly pendingEvents?: MempoolStreamEvents | null;
  /** Adds pages for browsers. */
  readonly pages?: CreateBrowserPages | undefined;
  /** The other workers, when this process is one of several. */
  readonly siblings?: SiblingWorkers;
}

const API_PREFIX = '/api/v2';

/** The routes in the order of the OpenAPI document. */
const V2_ROUTES: readonly ((routes: RouteGroup, context: ApiContext) => void)[] = [
  chainRoutes,
  reorganisationRoutes,
  blockRoutes,
  transactionRoutes,
  merklePathRoute,
  transactionOutputRoutes,
  submissionRoute,
  batchRoute,
  mempoolRoutes,
  pendingTransactionRoutes,
  pendingAddressRoutes,
  addressRoute,
  addressListRoutes,
  utxoRoutes,
  poolRoutes,
  listsOfPoolRoutes,
  delegationRoutes,
  tokenListRoutes,
  tokenRoutes,
  nftRoutes,
  orderRoutes,
  bookRoutes,
  statisticsRoutes,
  holderRoutes,
  feeRateRoute,
  rawRoutes,
  addressOwnedObjectRoutes,
  addressHistoryRoutes,
  marketRoutes,
  estimateRoute,
  tradeRoutes,
  walletHistoryRoutes,
  stakingDayRoutes,
  stakingIncomeRoutes,
  statementRoutes,
  seriesRoutes,
  htlcRoutes,
  searchRoutes,
  walletRoute,
  verifyMessageRoute,
  decodeRoute,
  marksRoutes,
];
