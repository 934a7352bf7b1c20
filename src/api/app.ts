/** The web server's routes as an application that knows nothing of processes and ports. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import fastifySwagger from '@fastify/swagger';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Network } from '../chain/networks/network.ts';
import type { NodeClient } from '../node/client.ts';
import type { QueryBatcher } from '../store/read/query-batcher.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { type CachedHttpServer, createCachedHttpServer } from './http/cached-http-server.ts';
import { clientOf } from './http/client-address.ts';
import { collectPaths } from './http/known-paths.ts';
import { PreparedResponse } from './http/prepared-response.ts';
import { readBodiesAsBytes } from './http/raw-body.ts';
import { RequestBodies } from './http/request-bodies.ts';
import { divideMemory, type MemoryBudget } from './memory-budget.ts';
import { documentationPage, openApiOptions } from './openapi/document.ts';
import { healthRoutes, operationsAnswers } from './operations/health.ts';
import { type Gather, Metrics } from './operations/metrics.ts';
import type { OperationsAnswers } from './operations/operations-server.ts';
import { RepeatedLog } from './operations/repeated-log.ts';
import { OffsetAnchors } from './pagination/offset-anchors.ts';
import { UnpagedLists } from './pagination/unpaged-lists.ts';
import { pendingEvents } from './pending/events.ts';
import type { Pending } from './pending/pending.ts';
import { PendingResponseCache } from './pending/pending-response-cache.ts';
import { PendingTexts } from './pending/texts.ts';
import { responseProfileByName } from './response-profile/by-name.ts';
import type { ContractName } from './response-profile/profile.ts';
import { ApiError, badRequest } from './route/api-error.ts';
import { type ApiContext, type ApiLogger, errorResponse, getRoute, requireReady } from './route/context.ts';
import { strictObject } from './schemas/common.ts';
import { COMPONENTS } from './schemas/components.ts';
import { errorResponses, okResponse } from './schemas/route.ts';
import type { PendingEvents } from './stream/pending.ts';
import { streamRoute } from './stream/route.ts';
import { type StreamLimits, Streams } from './stream/streams.ts';
import { addressRoutes } from './v2/address.ts';
import { batchRoute } from './v2/batch.ts';
import { blockRoutes } from './v2/block.ts';
import { bookRoutes } from './v2/book.ts';
import { chainRoutes } from './v2/chain.ts';
import { delegationRoutes } from './v2/delegation.ts';
import { feeRateRoutes } from './v2/feerate.ts';
import { holderRoutes } from './v2/holders.ts';
import { mempoolRoutes } from './v2/mempool.ts';
import { nftRoutes } from './v2/nft.ts';
import { orderRoutes } from './v2/order.ts';
import { poolRoutes } from './v2/pool.ts';
import { statisticsRoutes } from './v2/statistics.ts';
import { submissionRoute } from './v2/submission.ts';
import { tokenRoutes } from './v2/token.ts';
import { transactionRoutes } from './v2/transaction.ts';
import { utxoRoutes } from './v2/utxos.ts';

export interface AppOptions {
  readonly network: Network;
  readonly contract: ContractName;
  readonly reader: QueryBatcher;
  readonly watch: TipWatch;
  /** For fee rates and submissions; null: both are answered with 503. */
  readonly node: NodeClient | null;
  /** Transactions that wait for a block; null: nothing is known of them. */
  readonly pending: Pending | null;
  readonly enablePostRoutes: boolean;
  readonly logger: ApiLogger;
  /** What the process may take of the machine's memory, in bytes. */
  readonly maxMemory?: number;
  /** Parts of the memory that are to be of another size than {@link divideMemory} gives them. */
  readonly budget?: Partial<MemoryBudget>;
  /** Clients' connections at a time; fewer where the memory is not enough for so many. */
  readonly maxConnections?: number;
  /** Requests a second of each client; 0, the default: as many as it likes. */
  readonly rateLimit?: number;
  /** Is the client's address in `x-forwarded-for`? */
  readonly trustProxy?: boolean;
  /** What clients see before our paths, without a slash at its end. */
  readonly publicUrl?: string;
  /** False where reading itself is measured: each answer is then made anew. */
  readonly sharesAnswers?: boolean;
  /** Does `/metrics` have an address of its own? */
  readonly hasMetricsAddress?: boolean;
  /** Of the streams of events; what is not named has its default. */
  readonly streams?: Partial<StreamLimits>;
  /** Events of the mempool in place of those of `pending`; for tests. */
  readonly pendingEvents?: PendingEvents | null;
  /** When the server is several processes: how their figures come together. */
  readonly gather?: Gather;
}

export interface Application {
  readonly app: FastifyInstance;
  /** What the operations' endpoints answer, for an address of their own. */
  readonly operations: OperationsAnswers;
  /** From now on `/ready` says that the server is stopping. */
  announceStop(): void;
}

const API_PREFIX = '/api/v2';

const DEFAULT_MEMORY_BYTES = 1024 * 1024 * 1024;
const DEFAULT_CONNECTIONS = 10_000;
/** Longer than any path that the HTTP parser lets through. */
const LONGEST_PARAMETER = 1 << 20;

export async function buildApp(options: AppOptions): Promise<Application> {
  const budget = { ...divideMemory(options.maxMemory ?? DEFAULT_MEMORY_BYTES), ...options.budget };
  const bodies = new RequestBodies(budget.bodyBytes);
  const state = { isStopping: false };
  const { context, front } = contextOf(options, { budget, bodies, isStopping: () => state.isStopping });
  const { metrics } = context;
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    errorResponse(context, error).send(request.raw, reply.raw);
  };

  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    serverFactory: (listener) =>
      front.listen((request, response) => {
        request.url = ownUrl(request.url!);
        (isRouted(request) ? listener : refuseUnrouted)(request, response);
      }),
    // The front has refused it already, or will when its turn comes.
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => {
      const isBadUrl = error.code === 'FST_ERR_BAD_URL';
      refuse(isBadUrl ? badUrl(paths.undecodable(request.raw.url!)) : frameworkRefusal(error), request, reply);
    },
  });
  app.setErrorHandler((error, request, reply) => refuse(frameworkRefusal(error as FastifyError), request, reply));
  onlyDocument(app);
  bodies.countIn(app, refuse);
  for (const schema of COMPONENTS) app.addSchema(schema);

  const paths = collectPaths(app);
  /** The framework reads the body of whatever else is not `GET` before it looks at the path. */
  const isRouted = ({ method, url }: IncomingMessage) =>
    method === 'GET' || method === 'HEAD' || (paths.methodsOf(url!)?.includes(method!) ?? false);
  const refuseUnrouted = (request: IncomingMessage, response: ServerResponse) => {
    const began = metrics.begin();
    const allowed = paths.methodsOf(request.url!);
    const refusal =
      allowed && !allowed.includes(request.method!)
        ? new PreparedResponse('', { status: 405, contentType: null, headers: ['allow', allowed.join(',')] })
        : errorResponse(context, badRequest('Bad request'));
    metrics.end('none', refusal.status, began);
    refusal.send(request, response);
  };
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    refuseUnrouted(request.raw, reply.raw);
  });

  const { streams: limits = {} } = options;
  const events = options.pendingEvents ?? (context.pending && pendingEvents(context.network, context.pending));
  const streams = new Streams({ ...context, pending: events, limits });
  metrics.addStreams(streams.counts);
  // They end while the server waits for its connections to end.
  app.addHook('preClose', (done) => {
    void streams.hub.end();
    done();
  });

  await app.register(fastifySwagger, openApiOptions(context.profile, options.network, context.publicUrl));
  versionsRoute(app, context);
  const operations = operationsAnswers(context);
  healthRoutes(app, operations, !options.hasMetricsAddress);
  await app.register(documentationPage(context));
  await app.register(
    async (v2) => {
      onlyDocument(v2);
      readBodiesAsBytes(v2);
      for (const addRoutes of [
        chainRoutes,
        blockRoutes,
        transactionRoutes,
        submissionRoute,
        batchRoute,
        mempoolRoutes,
        addressRoutes,
        utxoRoutes,
        poolRoutes,
        delegationRoutes,
        tokenRoutes,
        nftRoutes,
        orderRoutes,
        bookRoutes,
        statisticsRoutes,
        holderRoutes,
        feeRateRoutes,
      ]) {
        addRoutes(v2, context);
      }
      streamRoute(v2, context, streams, (request) => clientOf(request, context.isProxyTrusted));
    },
    { prefix: API_PREFIX },
  );
  const announceStop = () => {
    state.isStopping = true;
  };
  return { app, operations, announceStop };
}

interface Parts {
  readonly budget: MemoryBudget;
  readonly bodies: RequestBodies;
  readonly isStopping: () => boolean;
}

function contextOf(
  options: AppOptions,
  { budget, bodies, isStopping }: Parts,
): { readonly context: ApiContext; readonly front: CachedHttpServer } {
  const { network, pending, reader: store, watch: tipWatch } = options;
  const isProxyTrusted = options.trustProxy ?? false;
  const cache = new ResponseCache(budget.cacheBytes);
  const offsetAnchors = new OffsetAnchors(store);
  const unpagedLists = new UnpagedLists(store);
  const pendingResponses = new PendingResponseCache(pending, tipWatch);
  const tellPending = () => pending?.indexMoved(tipWatch.tip?.isReady ? tipWatch.tip.revision : null);
  tipWatch.onChange(() => {
    cache.clear();
    offsetAnchors.clear();
    unpagedLists.clear();
    tellPending();
  });
  tellPending();
  const state = {
    tip: () => tipWatch.tip,
    unconfirmedSeconds: () => tipWatch.staleSeconds,
    isReady: () => isReady({ network, tipWatch }),
    isConnected: () => store.isConnected && tipWatch.isFresh,
    cacheBytes: () => cache.bytes,
    unsentBytes: () => front.connections.outbox.bytes,
    bodyBytes: () => bodies.bytes,
    waitingRequests: () => front.connections.waiting,
    connectionsCut: () => front.connections.cut,
  };
  const metrics = new Metrics(state, options.gather);
  const front = createCachedHttpServer({
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
    logger: options.logger,
    repeated: new RepeatedLog(options.logger),
    connections: front.connections,
    maxRequestsInFlight: budget.requests,
    isProxyTrusted,
    sharesAnswers: options.sharesAnswers ?? true,
    isStopping,
    publicUrl: options.publicUrl ?? '',
  };
  return { context, front };
}

function isReady(state: Pick<ApiContext, 'network' | 'tipWatch'>): boolean {
  try {
    requireReady(state);
    return true;
  } catch {
    return false;
  }
}

/** At the server's root, where a client learns what there is. */
function versionsRoute(app: FastifyInstance, context: ApiContext): void {
  getRoute(app, context, {
    path: '/',
    schema: {
      tags: ['Service'],
      summary: 'The versions of the API that are served',
      response: {
        200: okResponse(strictObject({ versions: Type.Array(Type.String()) }), 'Success'),
        ...errorResponses([]),
      },
    },
    isAlwaysReady: true,
    parse: () => null,
    answer: () => ({ text: '{"versions":["2.0.0"]}' }),
  });
}

/** Requests are read by our own functions and answers are finished texts: the schemas are for the document. */
function onlyDocument(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => String);
}

/**
 * The path and query of a request's URL: a client may name the whole URL, whose host says nothing to us. A `%` that
 * begins no code stands for itself.
 */
function ownUrl(url: string): string {
  const own = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/^(?=\?|$)/, '/');
  return own.includes('%') ? own.replace(/%(?![0-9a-f]{2})/gi, '%25') : own;
}

function badUrl(parameter: string | null): ApiError {
  return badRequest(parameter === null ? 'Bad request' : `Invalid URL: Invalid UTF-8 in \`${parameter}\``);
}

/** What the framework itself refuses, in our words. */
function frameworkRefusal(error: FastifyError | Error): unknown {
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(413, 'Failed to buffer the request body: length limit exceeded');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return badRequest('Bad request');
    default: {
      const status = 'statusCode' in error ? error.statusCode : undefined;
      return status !== undefined && status >= 400 && status < 500 ? new ApiError(status, 'Bad request') : error;
    }
  }
}
