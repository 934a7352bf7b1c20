/** The web server's routes as an application that knows nothing of processes and ports. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import fastifySwagger from '@fastify/swagger';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Network } from '../chain/networks/network.ts';
import type { NodeClient } from '../node/client.ts';
import type { Reader } from '../store/read/query-batcher.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import { Bodies } from './http/request-bodies.ts';
import { readBodiesAsBytes } from './http/raw-body.ts';
import { BodyCache } from './cache/response-cache.ts';
import { clientOf } from './http/client-address.ts';
import { type ApiContext, type ApiLogger, checkReady, finishError, serve } from './route/context.ts';
import { contractByName } from './response-profile/by-name.ts';
import type { ContractName } from './response-profile/profile.ts';
import { documentationPage, openApiOptions } from './openapi/document.ts';
import { ApiError, badRequest } from './route/api-error.ts';
import { Finished } from './http/prepared-response.ts';
import { createFront, type Front } from './http/cached-http-server.ts';
import { healthRoutes, operationsAnswers } from './operations/health.ts';
import { divideMemory, type MemoryBudget } from './memory-budget.ts';
import { type Gather, Metrics } from './operations/metrics.ts';
import { Milestones } from './pagination/offset-anchors.ts';
import type { OperationsAnswers } from './operations/operations-server.ts';
import { collectPaths } from './http/known-paths.ts';
import { pendingEvents } from './pending/events.ts';
import { LiveAnswers } from './pending/pending-response-cache.ts';
import type { Pending } from './pending/pending.ts';
import { PendingTexts } from './pending/texts.ts';
import { RepeatedLog } from './operations/repeated-log.ts';
import { object } from './schemas/common.ts';
import { COMPONENTS } from './schemas/components.ts';
import { errors, success } from './schemas/route.ts';
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
import { WholeLists } from './pagination/unpaged-lists.ts';

export interface AppOptions {
  readonly network: Network;
  readonly contract: ContractName;
  readonly reader: Reader;
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
  const bodies = new Bodies(budget.bodyBytes);
  const state = { isStopping: false };
  const { context, front } = contextOf(options, { budget, bodies, isStopping: () => state.isStopping });
  const { metrics } = context;
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    finishError(context, error).send(request.raw, reply.raw);
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
        ? new Finished('', { status: 405, contentType: null, headers: ['allow', allowed.join(',')] })
        : finishError(context, badRequest('Bad request'));
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

  await app.register(fastifySwagger, openApiOptions(context.contract, options.network, context.publicUrl));
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
  readonly bodies: Bodies;
  readonly isStopping: () => boolean;
}

function contextOf(
  options: AppOptions,
  { budget, bodies, isStopping }: Parts,
): { readonly context: ApiContext; readonly front: Front } {
  const { network, pending, reader, watch } = options;
  const isProxyTrusted = options.trustProxy ?? false;
  const cache = new BodyCache(budget.cacheBytes);
  const milestones = new Milestones(reader);
  const lists = new WholeLists(reader);
  const live = new LiveAnswers(pending, watch);
  const tellPending = () => pending?.indexMoved(watch.tip?.isReady ? watch.tip.revision : null);
  watch.onChange(() => {
    cache.clear();
    milestones.clear();
    lists.clear();
    tellPending();
  });
  tellPending();
  const state = {
    tip: () => watch.tip,
    unconfirmedSeconds: () => watch.unconfirmedSeconds,
    isReady: () => isReady({ network, watch }),
    isConnected: () => reader.isConnected && watch.isConfirmed,
    cacheBytes: () => cache.bytes,
    unsentBytes: () => front.connections.outbox.bytes,
    bodyBytes: () => bodies.bytes,
    waitingRequests: () => front.connections.waiting,
    connectionsCut: () => front.connections.cut,
  };
  const metrics = new Metrics(state, options.gather);
  const front = createFront({
    cache: { get: (url) => cache.get(url) ?? live.get(url) },
    metrics,
    isCacheValid: () => watch.isConfirmed,
    noteRequest: () => watch.noteRequest(),
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
    contract: contractByName(options.contract),
    reader,
    watch,
    cache,
    milestones,
    lists,
    resources: new Map(),
    node: options.node,
    pending,
    live,
    pendingTexts: new PendingTexts(network, reader, () => watch.tip?.revision ?? 0),
    enablePostRoutes: options.enablePostRoutes,
    metrics,
    logger: options.logger,
    repeated: new RepeatedLog(options.logger),
    connections: front.connections,
    mostRequests: budget.requests,
    isProxyTrusted,
    sharesAnswers: options.sharesAnswers ?? true,
    isStopping,
    publicUrl: options.publicUrl ?? '',
  };
  return { context, front };
}

function isReady(state: Pick<ApiContext, 'network' | 'watch'>): boolean {
  try {
    checkReady(state);
    return true;
  } catch {
    return false;
  }
}

/** At the server's root, where a client learns what there is. */
function versionsRoute(app: FastifyInstance, context: ApiContext): void {
  serve(app, context, {
    path: '/',
    schema: {
      tags: ['Service'],
      summary: 'The versions of the API that are served',
      response: { 200: success(object({ versions: Type.Array(Type.String()) }), 'Success'), ...errors([]) },
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
