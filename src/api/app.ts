/** The web server without processes and ports: composes context, Fastify and routes. */
import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Network } from '../chain/networks/network.ts';
import type { NodeClient } from '../node/client.ts';
import type { QueryDispatcher } from '../store/read/query-dispatcher.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import { createContext } from './create-context.ts';
import { createFastify } from './create-fastify.ts';
import type { CreatePages, Pages } from './http/pages.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { documentationPage, openApiOptions } from './openapi/document.ts';
import type { ApiLogger } from './operations/logger-interface.ts';
import type { CollectFromWorkers } from './operations/metrics.ts';
import { operationsEndpoints, operationsRoutes } from './operations/operations-routes.ts';
import type { OperationsEndpoints } from './operations/operations-server.ts';
import { mempoolEvents } from './pending/mempool-events.ts';
import type { PendingTransactions } from './pending/pending-transactions.ts';
import type { ContractName } from './response-profile/profile.ts';
import type { ApiContext } from './route/context.ts';
import { registerV2 } from './routes.ts';
import type { MempoolEvents } from './stream/mempool-source.ts';
import { type StreamLimits, Streams } from './stream/streams.ts';
import { versionsRoute } from './v2/versions.ts';

export interface AppOptions {
  readonly network: Network;
  readonly contract: ContractName;
  readonly store: QueryDispatcher;
  readonly tipWatch: TipWatch;
  /** For fee rates and submissions; null: both respond with 503. */
  readonly node: NodeClient | null;
  /** Null: the mempool is not known. */
  readonly pending: PendingTransactions | null;
  readonly enablePostRoutes: boolean;
  readonly logger: ApiLogger;
  /** Memory of the process, in bytes. */
  readonly maxMemory?: number;
  /** Sizes that differ from those of `divideMemory`. */
  readonly budget?: Partial<MemoryBudget>;
  /** Maximum number of client connections; fewer if the memory is not enough for them. */
  readonly maxConnections?: number;
  /** Requests per second and client; 0, the default: no limit. */
  readonly rateLimit?: number;
  /** Is the client's address in `x-forwarded-for`? */
  readonly trustProxy?: boolean;
  /** The public URL of `/`, without a slash at its end. */
  readonly publicUrl?: string;
  /** False to make each response anew, for measurements. */
  readonly sharesResponses?: boolean;
  /** Does `/metrics` have an address of its own? */
  readonly hasMetricsAddress?: boolean;
  /** Limits of event streams that differ from the defaults. */
  readonly streams?: Partial<StreamLimits>;
  /** Events of the mempool instead of those of `pending`; for tests. */
  readonly pendingEvents?: MempoolEvents | null;
  /** Adds pages for browsers to what is served. */
  readonly pages?: CreatePages | undefined;
  /** Collects the metrics of all processes, when there are several. */
  readonly collectFromWorkers?: CollectFromWorkers;
}

export interface Application {
  readonly app: FastifyInstance;
  /** The endpoints for monitoring, for an address of their own. */
  readonly operations: OperationsEndpoints;
  /** From now on `/ready` responds that the server is stopping. */
  announceStop(): void;
}

export async function buildApp(options: AppOptions): Promise<Application> {
  let isStopping = false;
  const { context, server, bodies } = createContext(options, () => isStopping);
  let pages: Pages | null = null;
  const app = createFastify(context, server, { bodies, pages: () => pages });
  const streams = createStreams(options, context);
  // They end while the server waits for its connections to end.
  app.addHook('preClose', (done) => {
    void streams.hub.end();
    done();
  });

  await app.register(fastifySwagger, openApiOptions(context.profile, context.network, context.publicUrl));
  versionsRoute(app, context);
  const operations = operationsEndpoints(context);
  operationsRoutes(app, operations, !options.hasMetricsAddress);
  await app.register(documentationPage(context));
  await registerV2(app, context, streams);
  pages = options.pages?.(app, context) ?? null;
  return {
    app,
    operations,
    announceStop: () => {
      isStopping = true;
    },
  };
}

function createStreams({ pendingEvents: given, streams: limits = {} }: AppOptions, context: ApiContext): Streams {
  const events = given ?? (context.pending && mempoolEvents(context.network, context.pending));
  const streams = new Streams({ ...context, pending: events, limits });
  context.metrics.addStreams(streams.counts);
  return streams;
}
