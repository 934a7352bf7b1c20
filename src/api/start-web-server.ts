/** A web server: database connections, ports, start and stop. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { NodePendingTransactions } from '../answers/pending/node-pending-transactions.ts';
import type { PendingTransactions } from '../answers/pending/pending-transactions-interface.ts';
import { MIN_CONNECTIONS } from '../config/postgres.ts';
import { OperatorError, systemErrorText } from '../errors/operator-error.ts';
import type { MirrorOptions } from '../mempool/mirror.ts';
import { serveMonitor } from '../monitoring/monitor-server.ts';
import { NodeClient, type NodeClientOptions } from '../node/client.ts';
import { type HostPort, hostPortText } from '../node/host-port.ts';
import { silentLogger } from '../node/logger-interface.ts';
import { NodeInUse } from '../node/node-in-use.ts';
import { NodeSelection } from '../node/node-selection.ts';
import { ThrottledLog } from '../serving/logging/throttled-log.ts';
import { clientWeights, type IpNetworkWeight } from '../serving/resources/client-weights.ts';
import {
  createResources,
  type ResourceTotals,
  resourceTotals,
  type WebServerResources,
} from '../serving/resources/create-resources.ts';
import { ReadPool } from '../serving/resources/read-pool.ts';
import { openPostgresConnection, type PostgresOptions } from '../store/postgres/connect.ts';
import { optionsOfEachHost } from '../store/postgres/hosts.ts';
import { postgresErrorToThrow } from '../store/postgres/postgres-error.ts';
import { HostInUse } from '../store/read/host-in-use.ts';
import { connectHint } from '../store/read/read-privileges.ts';
import { classifyPgError } from '../store/read/store-error.ts';
import { TipWatch } from '../store/read/tip-watch.ts';
import { requireOwnOrEmptyDatabase } from '../store/schema/database-identity.ts';
import type { InPlaceMigration } from '../store/schema/in-place-migrations.ts';
import { type Application, type AppOptions, buildApp } from './app.ts';
import { DEFAULT_STREAM_LIMITS } from './stream/stream-service.ts';

/** The options of the application that the server makes itself. */
type Made = 'store' | 'tipWatch' | 'node' | 'pending' | 'resources' | 'hasMetricsAddress';

interface WebServerOptions extends Omit<AppOptions, Made> {
  readonly postgres: PostgresOptions;
  /** Port 0: any free port. */
  readonly bindAddress: HostPort;
  /**
   * A separate address for `/metrics`, which also has `/health` and `/ready`. By default `/metrics` is on
   * `bindAddress`.
   */
  readonly metricsAddress?: HostPort | undefined;
  /** The node, for fee rates, encoded blocks, pending transactions and submissions. */
  readonly node: NodeClientOptions | null;
  /** Replaces the pending transactions of the node; for tests. */
  readonly pending?: PendingTransactions;
  /** Options of the mempool's mirror; for tests. */
  readonly mirror?: Partial<MirrorOptions>;
  /** The number of processes that share the limits of connections and memory. */
  readonly workers?: number;
  /** The most seconds that a replica may be behind its primary while `/ready` returns 200; 0, the default: no limit. */
  readonly maxLagSeconds?: number;
  /** What the server needs of the index besides its tables (default `IN_PLACE_MIGRATIONS`). */
  readonly migrations?: readonly InPlaceMigration[];
  /** The memory of all processes, in bytes. */
  readonly maxMemory?: number;
  /** The maximum number of client connections of all processes; fewer if the memory is too small for them. */
  readonly maxConnections?: number;
  /** Networks whose clients get more than an even share. */
  readonly clientWeights?: readonly IpNetworkWeight[];
  /** Totals of shared resources that replace those computed from the memory; for tests. */
  readonly totals?: Partial<ResourceTotals>;
  /** The time that the port stays open at a stop while `/ready` responds with 503. */
  readonly shutdownDelayMs?: number;
  /** The timeout of a PostgreSQL statement. */
  readonly statementTimeoutMs?: number;
}

interface WebServer {
  readonly address: HostPort;
  /** The address of the metrics; null unless they have their own. */
  readonly metricsAddress: HostPort | null;
  /** Finishes the requests in flight and closes everything. */
  stop(): Promise<void>;
}

const DEFAULT_MEMORY_BYTES = 1024 * 1024 * 1024;
const AMPLE_MEMORY_BYTES = 512 * 1024 * 1024;
const DEFAULT_CONNECTIONS = 10_000;
/**
 * Connections that the kernel accepts before the server does. Above Node's 511, a flood of connections would make
 * others repeat their first packet, which takes a second. The kernel has a limit of its own (Linux: 4,096).
 */
const LISTEN_BACKLOG = 4_096;
/** At a stop, connections that were kept alive may send their next request for so long. */
const LAST_REQUESTS_MS = 1_000;
const CHECK_MS = 20;
/** The longest time for requests in flight at a stop. */
const MAX_STOP_MS = 5_000;

/**
 * Starts the web server. It waits for a database that is unreachable or that the scanner has not filled yet, and
 * responds with 503 meanwhile. Throws an {@link OperatorError} for a problem that waiting does not solve: wrong
 * credentials, a database of another network or storage version, a port in use.
 */
export async function startWebServer(given: WebServerOptions): Promise<WebServer> {
  const inUse = new NodeInUse();
  const options: WebServerOptions = { ...given, node: given.node && { ...given.node, network: given.network, inUse } };
  const { workers = 1, maxMemory = DEFAULT_MEMORY_BYTES, logger } = options;
  const resources = sharedResources(options, workers);
  const { store, tipWatch } = createIndexReaders(options, workers, resources);
  const { node, selection } = createNodeClients(options, inUse, tipWatch);
  const { pending = nodePending(options, store) } = options;
  limitGarbage(Math.floor(maxMemory / workers));
  const release = async () => {
    await pending?.close();
    tipWatch.close();
    store.close();
    selection?.close();
    node?.close();
  };
  try {
    await checkDatabases(options);
    // They try again, and log it.
    await Promise.all([store.open(), tipWatch.open()]).catch(() => {});
    const hasMetricsAddress = options.metricsAddress !== undefined;
    const app = buildApp({ ...options, store, tipWatch, node, pending, resources, hasMetricsAddress });
    const metrics = await listen(app, options);
    return {
      address: addressOf(app.server),
      metricsAddress: metrics && addressOf(metrics),
      async stop() {
        await endRequests(app, options);
        metrics?.close();
        metrics?.closeAllConnections();
        await release();
        logger.info({}, 'Stopped.');
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function createIndexReaders(
  { postgres: given, maxLagSeconds, migrations, statementTimeoutMs, logger }: WebServerOptions,
  workers: number,
  { statements }: WebServerResources,
) {
  const maxConnections = Math.max(MIN_CONNECTIONS, Math.floor(given.maxConnections / workers));
  const postgres = { ...given, maxConnections };
  const hosts = postgres.others && new HostInUse(postgres);
  const tipWatch = new TipWatch({ postgres, hosts, maxLagSeconds, migrations, logger });
  const store = new ReadPool({ postgres, hosts, logger, tipWatch, statements, statementTimeoutMs });
  return { store, tipWatch };
}

function createNodeClients(
  { node: options, siblings, logger }: WebServerOptions,
  inUse: NodeInUse,
  tipWatch: TipWatch,
) {
  if (options === null) return { node: null, selection: null };
  // All workers meet the same conditions of a node: one of them logs these.
  const nodeLogger = (siblings?.worker ?? 1) === 1 ? logger : silentLogger;
  const node = new NodeClient(options);
  node.logProblems(nodeLogger);
  const indexHeight = () => tipWatch.tip?.height ?? null;
  return { node, selection: new NodeSelection({ node: { ...options, inUse }, indexHeight, logger: nodeLogger }) };
}

/** Returns the server of the metrics; null unless they have their own address. */
async function listen(
  app: Application,
  { bindAddress, metricsAddress, logger }: WebServerOptions,
): Promise<Server | null> {
  app.server.listen({ ...bindAddress, backlog: LISTEN_BACKLOG });
  await once(app.server, 'listening').catch((error: unknown) => {
    throw cannotListen(bindAddress, error, '--bind-address');
  });
  const metrics =
    metricsAddress === undefined
      ? null
      : await serveMonitor(metricsAddress, app.operations).catch(async (error: unknown) => {
          await app.close();
          throw cannotListen(metricsAddress, error, '--metrics-address');
        });
  logger.info({}, `Listening on http://${hostPortText(addressOf(app.server))}`);
  if (metrics !== null) logger.info({}, `Metrics are on http://${hostPortText(addressOf(metrics))}/metrics`);
  return metrics;
}

/** Finishes the requests in flight, and closes the port. */
async function endRequests(app: Application, { shutdownDelayMs, logger }: WebServerOptions): Promise<void> {
  const { server } = app;
  app.announceStop();
  if (shutdownDelayMs) {
    logger.info({}, `Stopping in ${shutdownDelayMs / 1_000} s; /ready says so meanwhile.`);
    await sleep(shutdownDelayMs);
  }
  await lastRequests(server);
  // A connection is idle when its response is sent. Clients that do not take their responses are not waited for.
  const idle = setInterval(() => server.closeIdleConnections(), CHECK_MS);
  const patience = setTimeout(() => server.closeAllConnections(), MAX_STOP_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(patience);
}

/**
 * Lets V8, which does not know the limit of memory, collect garbage before its heap has doubled. Its default allows up to
 * four times as much. Where memory is scarce, it also keeps new objects in less memory, which takes more processor time.
 */
function limitGarbage(memoryBytes: number): void {
  const isScarce = memoryBytes < AMPLE_MEMORY_BYTES;
  setFlagsFromString(`--heap-growing-percent=${isScarce ? 10 : 100}`);
  if (isScarce) setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Resolves when all connections are closed, after a second at the latest. Responses said `keep-alive` until the stop began:
 * clients may send the next request at this moment, which is answered with `connection: close`.
 */
async function lastRequests(server: Server): Promise<void> {
  const open = promisify(server.getConnections.bind(server));
  for (const end = performance.now() + LAST_REQUESTS_MS; performance.now() < end && (await open()) > 0; )
    await sleep(CHECK_MS);
}

function cannotListen(address: HostPort, error: unknown, option: string): OperatorError {
  return new OperatorError(
    `cannot listen on ${hostPortText(address)}: ${systemErrorText(error)}. Choose another address with ${option}.`,
    { cause: error },
  );
}

function addressOf(server: Server): HostPort {
  const { address: host, port } = server.address() as AddressInfo;
  return { host, port };
}

/** Returns the resources of one process. */
function sharedResources(options: WebServerOptions, workers: number): WebServerResources {
  const { maxMemory = DEFAULT_MEMORY_BYTES, maxConnections = DEFAULT_CONNECTIONS, logger } = options;
  const throttledLog = new ThrottledLog(logger);
  const totals = resourceTotals(Math.floor(maxMemory / workers), {
    connections: Math.ceil(maxConnections / workers),
    streams: Math.max(
      1,
      Math.floor((options.streams?.maxSubscribers ?? DEFAULT_STREAM_LIMITS.maxSubscribers) / workers),
    ),
  });
  return createResources(
    { ...totals, ...options.totals },
    {
      weightOf: clientWeights(options.clientWeights ?? []),
      onRefused: (resource, outcome, client) =>
        throttledLog.warn(
          `refused ${resource}`,
          { resource, outcome, client },
          'A client was refused a shared resource.',
        ),
    },
  );
}

function nodePending(
  { network, node, logger, siblings, mirror = {} }: WebServerOptions,
  store: ReadPool,
): PendingTransactions | null {
  return node === null ? null : new NodePendingTransactions({ network, node, store, logger, siblings, mirror });
}

const lacksPrivileges = (error: unknown): error is Error =>
  error instanceof Error && classifyPgError(error).kind === 'missing privileges';

/** Checks each server's database. Throws if one can never be served. */
async function checkDatabases(options: WebServerOptions): Promise<void> {
  await Promise.all(optionsOfEachHost(options.postgres).map((postgres) => checkDatabase({ ...options, postgres })));
}

/** Throws for a database that can never be served. An unreachable, unreadable or empty one may change. */
async function checkDatabase({ network, postgres, logger }: WebServerOptions): Promise<void> {
  const client = await openPostgresConnection(postgres, 'chain-indexer web server').catch((error: unknown) => {
    if (lacksPrivileges(error)) throw new OperatorError(connectHint(postgres, error), { cause: error });
    const explained = postgresErrorToThrow(error, postgres);
    if (explained instanceof OperatorError) throw explained;
  });
  if (client === undefined) return;
  try {
    await requireOwnOrEmptyDatabase(client, network, { mayBeRestored: true });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    // The tip watch logs the remedy.
    if (lacksPrivileges(error)) return;
    logger.warn({ err: error }, 'The database could not be checked; going on without.');
  } finally {
    await client.end();
  }
}
