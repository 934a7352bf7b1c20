/** The web server's routes as an application that knows nothing of processes and ports. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import fastifySwagger from '@fastify/swagger';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Network } from '../chain/networks/network.ts';
import type { NodeClient } from '../node/client.ts';
import type { Reader } from '../store/read/reader.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import { readBodiesAsBytes } from './body.ts';
import { BodyCache } from './body-cache.ts';
import { type ApiContext, type ApiLogger, checkReady, finishError, serve } from './context.ts';
import { contractByName } from './contract/by-name.ts';
import type { ContractName } from './contract/contract.ts';
import { documentationPage, openApiOptions } from './documentation.ts';
import { ApiError, badRequest } from './error.ts';
import { Finished, outbox } from './finished.ts';
import { createFront } from './front.ts';
import { healthRoutes } from './health.ts';
import { type Gather, Metrics } from './metrics.ts';
import { Milestones } from './milestones.ts';
import { LiveAnswers } from './pending/live-answers.ts';
import type { Pending } from './pending/pending.ts';
import { PendingTexts } from './pending/texts.ts';
import { object } from './schemas/common.ts';
import { COMPONENTS } from './schemas/components.ts';
import { errors, success } from './schemas/route.ts';
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
import { WholeLists } from './whole-list.ts';

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
  /** Memory for finished answers. */
  readonly cacheBytes?: number;
  /** When the server is several processes: how their figures come together. */
  readonly gather?: Gather;
}

const API_PREFIX = '/api/v2';

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
/** Longer than any path that the HTTP parser lets through. */
const LONGEST_PARAMETER = 1 << 20;

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const context = contextOf(options);
  const { cache, live, metrics, watch } = context;
  const isCacheValid = () => watch.isConfirmed;
  const noteRequest = () => watch.noteRequest();
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
      createFront(
        (request, response) => {
          request.url = withLiteralPercents(request.url!);
          (isRouted(request) ? listener : refuseUnrouted)(request, response);
        },
        {
          cache: { get: (url) => cache.get(url) ?? live.get(url) },
          metrics,
          isCacheValid,
          noteRequest,
        },
      ),
    frameworkErrors: (error, request, reply) => {
      const isBadUrl = error.code === 'FST_ERR_BAD_URL';
      refuse(isBadUrl ? badUrl(paths.undecodable(request.raw.url!)) : frameworkRefusal(error), request, reply);
    },
  });
  app.setErrorHandler((error, request, reply) => refuse(frameworkRefusal(error as FastifyError), request, reply));
  onlyDocument(app);
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

  await app.register(fastifySwagger, openApiOptions(context.contract, options.network));
  versionsRoute(app, context);
  healthRoutes(app, context);
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
    },
    { prefix: API_PREFIX },
  );
  return app;
}

function contextOf(options: AppOptions): ApiContext {
  const { network, pending, reader, watch } = options;
  const cache = new BodyCache(options.cacheBytes ?? DEFAULT_CACHE_BYTES);
  const milestones = new Milestones(reader);
  const tellPending = () => pending?.indexMoved(watch.tip?.isReady ? watch.tip.revision : null);
  watch.onChange(() => {
    cache.clear();
    milestones.clear();
    tellPending();
  });
  tellPending();
  const state = {
    tip: () => watch.tip,
    unconfirmedSeconds: () => watch.unconfirmedSeconds,
    isReady: () => isReady({ network, watch }),
    isConnected: () => reader.isConnected && watch.isConfirmed,
    cacheBytes: () => cache.bytes,
    unsentBytes: () => outbox.bytes,
  };
  return {
    network,
    contract: contractByName(options.contract),
    reader,
    watch,
    cache,
    milestones,
    lists: new WholeLists(reader),
    resources: new Map(),
    node: options.node,
    pending,
    live: new LiveAnswers(pending, watch),
    pendingTexts: new PendingTexts(network, reader, () => watch.tip?.revision ?? 0),
    enablePostRoutes: options.enablePostRoutes,
    metrics: new Metrics(state, options.gather),
    logger: options.logger,
  };
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

/** A `%` that begins no code stands for itself. */
function withLiteralPercents(url: string): string {
  return url.includes('%') ? url.replace(/%(?![0-9a-f]{2})/gi, '%25') : url;
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

interface Paths {
  /** Those of the route that the URL is of; null when it is of none. */
  methodsOf(url: string): string[] | null;
  /** The parameter of a known route whose text is no percent-encoded UTF-8; null when the route is unknown. */
  undecodable(url: string): string | null;
}

/** Remembers the routes as they are added, to tell a wrong method from an unknown path. */
function collectPaths(app: FastifyInstance): Paths {
  const routes: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const source = url
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/:([a-z]+)/g, '(?<$1>[^/]+)')
      .replace(/\*/g, '.*');
    const pattern = new RegExp(`^${source}$`);
    let route = routes.find((known) => known.pattern.source === pattern.source);
    if (!route) {
      route = { pattern, methods: new Set() };
      routes.push(route);
    }
    for (const name of [method].flat()) route.methods.add(name);
  });
  // A client may name the whole URL in its request line.
  const pathOf = (url: string) => url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0]!;
  return {
    methodsOf(url) {
      const path = pathOf(url);
      const route = routes.find(({ pattern }) => pattern.test(path));
      return route ? [...route.methods] : null;
    },
    undecodable(url) {
      const path = pathOf(url);
      for (const { pattern } of routes) {
        const parameters = Object.entries(pattern.exec(path)?.groups ?? {});
        const wrong = parameters.find(([, text]) => !isDecodable(text));
        if (wrong) return wrong[0];
      }
      return null;
    },
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
