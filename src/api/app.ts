/** The web server without processes and ports: composes context, Fastify and routes. */
import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './app-options.ts';
import { createContext } from './create-context.ts';
import { createFastify } from './create-fastify.ts';
import { documentationPage, openApiOptions } from './openapi/document.ts';
import { operationsEndpoints, operationsRoutes } from './operations/operations-routes.ts';
import type { OperationsEndpoints } from './operations/operations-server.ts';
import { mempoolEvents } from './pending/mempool-events.ts';
import type { ApiContext } from './route/context.ts';
import type { Pages } from './route/page-handler.ts';
import { registerV2 } from './routes.ts';
import { Streams } from './stream/streams.ts';
import { versionsRoute } from './v2/versions.ts';

export interface Application {
  readonly app: FastifyInstance;
  /** The endpoints for monitoring, for an address of their own. */
  readonly operations: OperationsEndpoints;
  /** From now on `/ready` responds that the server is stopping. */
  announceStop(): void;
}

export async function buildApp(options: AppOptions): Promise<Application> {
  let isStopping = false;
  const { context, server } = createContext(options, () => isStopping);
  let pages: Pages | null = null;
  const app = createFastify(context, server, () => pages);
  const streams = createStreams(options, context);
  // They end while the server waits for its connections to end.
  app.addHook('preClose', (done) => {
    void streams.hub.end();
    done();
  });
  app.addHook('onClose', () => context.decoding.close());

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

function createStreams({ pendingEvents, streams: limits = {} }: AppOptions, context: ApiContext): Streams {
  const { replays, unsent_bytes: unsent, streams: held } = context.resources;
  const pending = pendingEvents ?? (context.pending && mempoolEvents(context.network, context.pending));
  const streams = new Streams({ ...context, pending, limits, replays, unsent, streams: held });
  context.metrics.addStreams(streams.counts);
  return streams;
}
