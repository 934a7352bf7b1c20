/** The web server as a process has it: connections, port, start and stop. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../chain/networks/network.ts';
import { FEWEST_CONNECTIONS, PRIMARY_CONNECTIONS } from '../config/postgres.ts';
import { OperatorError, systemErrorText } from '../errors/operator-error.ts';
import type { MirrorOptions } from '../mempool/mirror.ts';
import { NodeClient, type NodeClientOptions } from '../node/client.ts';
import { openConnection, type PostgresOptions } from '../store/postgres/connect.ts';
import { explainPostgresError } from '../store/postgres/postgres-error.ts';
import { connectHint } from '../store/read/privileges.ts';
import { QueryBatcher } from '../store/read/query-batcher.ts';
import { classifyPgError } from '../store/read/store-error.ts';
import { TipWatch } from '../store/read/tip-watch.ts';
import { identifyDatabase } from '../store/schema/schema.ts';
import { type AppOptions, buildApp } from './app.ts';
import { createOperationsServer, type OperationsAnswers } from './operations/operations-server.ts';
import { FollowedMirror } from './pending/followed-mirror.ts';
import type { Pending } from './pending/pending.ts';
import type { ContractName } from './response-profile/profile.ts';
import type { ApiLogger } from './route/context.ts';
import type { PendingEvents } from './stream/pending.ts';
import type { StreamLimits } from './stream/streams.ts';

interface Address {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** What goes on to the application as it is. */
type Serving = Pick<AppOptions, 'budget' | 'rateLimit' | 'trustProxy' | 'publicUrl' | 'sharesAnswers' | 'gather'>;

export interface WebServerOptions extends Serving {
  readonly network: Network;
  readonly postgres: PostgresOptions;
  readonly bindAddress: Address;
  /** Where `/metrics` is, and `/health` and `/ready` as well; by default it is where everything is. */
  readonly metricsAddress?: Address | undefined;
  readonly contract: ContractName;
  readonly enablePostRoutes: boolean;
  /** For fee rates and submissions. */
  readonly node: NodeClientOptions | null;
  /** Transactions that wait for a block, where another process follows them; by default this one does, if there is a node. */
  readonly pending?: Pending;
  /** How the node's mempool is followed; for tests. */
  readonly mirror?: Partial<MirrorOptions>;
  /** How many processes share the database's connections, the memory and the clients' connections. */
  readonly workers?: number;
  /** Memory of all processes together, in bytes. */
  readonly maxMemory?: number;
  /** Clients' connections at a time, of all processes together. */
  readonly maxConnections?: number;
  /** How long the port stays open when the server stops, after `/ready` has said so. */
  readonly shutdownDelayMs?: number;
  /** Of the streams of events, of all processes together where they share something. */
  readonly streams?: Partial<StreamLimits>;
  /** Events of the mempool in place of those of `pending`; for tests. */
  readonly pendingEvents?: PendingEvents | null;
  /** After so long a read is given up. */
  readonly statementTimeoutMs?: number;
  readonly logger: ApiLogger;
}

export interface WebServer {
  readonly address: Address;
  /** That of the metrics, where they have one of their own. */
  readonly metricsAddress: Address | null;
  /** Ends the requests under way and closes everything. */
  stop(): Promise<void>;
}

/** How long requests under way may take when the server stops. */
const LONGEST_STOP_MS = 5_000;

/**
 * Starts the web server. A database that cannot be reached, or that the scanner has not filled yet, is waited for:
 * requests are answered with 503 in the meantime. Throws an {@link OperatorError} for what waiting does not mend: wrong
 * credentials, a database of another network or storage version, a port in use.
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { bindAddress, logger } = options;
  const { workers = 1 } = options;
  const available = options.postgres.maxConnections - (workers > 1 ? PRIMARY_CONNECTIONS : 0);
  const maxConnections = Math.max(FEWEST_CONNECTIONS, Math.floor(available / workers));
  const postgres = { ...options.postgres, maxConnections };
  const { statementTimeoutMs } = options;
  const watch = new TipWatch({ postgres, logger });
  const reader = new QueryBatcher({
    postgres,
    logger,
    isUnresponsive: () => watch.isUnresponsive,
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  const node = options.node ? new NodeClient(options.node) : null;
  const { pending = followedMirror(options, reader) } = options;
  const release = () => {
    watch.close();
    reader.close();
    node?.close();
  };
  try {
    await checkDatabase(options);
    await Promise.all([reader.open(), watch.open()]).catch((error: Error) => {
      logger.warn({ reason: error.message }, 'The database cannot be reached yet; trying again in the background.');
    });
    const { app, operations, announceStop } = await buildApp({
      ...options,
      reader,
      watch,
      node,
      pending,
      ...(options.maxMemory === undefined ? {} : { maxMemory: Math.floor(options.maxMemory / workers) }),
      ...(options.maxConnections === undefined ? {} : { maxConnections: Math.ceil(options.maxConnections / workers) }),
      hasMetricsAddress: options.metricsAddress !== undefined,
      ...(options.streams === undefined ? {} : { streams: ofOneProcess(options.streams, options.workers ?? 1) }),
      ...(options.pendingEvents === undefined ? {} : { pendingEvents: options.pendingEvents }),
    });
    await app.listen(bindAddress).catch((error: unknown) => {
      throw cannotListen(bindAddress, error, '--bind-address');
    });
    const metrics =
      options.metricsAddress === undefined
        ? null
        : await listenForOperations(options.metricsAddress, operations).catch(async (error: unknown) => {
            await app.close();
            throw error;
          });
    const address = addressOf(app.server);
    logger.info({}, `Listening on http://${urlHost(address)}`);
    const metricsAddress = metrics === null ? null : addressOf(metrics);
    if (metricsAddress !== null) logger.info({}, `Metrics are on http://${urlHost(metricsAddress)}/metrics`);
    return {
      address,
      metricsAddress,
      async stop() {
        announceStop();
        if (options.shutdownDelayMs) {
          logger.info({}, `Stopping in ${options.shutdownDelayMs / 1_000} s; /ready says so meanwhile.`);
          await sleep(options.shutdownDelayMs);
        }
        const { server } = app;
        // A connection becomes idle when its answer is out; who does not take it is not waited for.
        const idle = setInterval(() => server.closeIdleConnections(), 20);
        const patience = setTimeout(() => server.closeAllConnections(), LONGEST_STOP_MS);
        await app.close();
        clearInterval(idle);
        clearTimeout(patience);
        metrics?.close();
        metrics?.closeAllConnections();
        await pending?.close();
        release();
        logger.info({}, 'Stopped.');
      },
    };
  } catch (error) {
    await pending?.close();
    release();
    throw error;
  }
}

async function listenForOperations(address: Address, answers: OperationsAnswers): Promise<Server> {
  const server = createOperationsServer(answers);
  server.listen(address);
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen(address, error, '--metrics-address');
  });
  return server;
}

function cannotListen({ host, port }: Address, error: unknown, option: string): OperatorError {
  return new OperatorError(
    `cannot listen on ${host}:${port}: ${systemErrorText(error)}. Choose another address with ${option}.`,
    { cause: error },
  );
}

function addressOf(server: Server): Address {
  const { address: host, port } = server.address() as AddressInfo;
  return { host, port };
}

const urlHost = ({ host, port }: Address) => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Clients of one address may all come to one process. */
function ofOneProcess(limits: Partial<StreamLimits>, processes: number): Partial<StreamLimits> {
  const { maxSubscribers } = limits;
  if (maxSubscribers === undefined) return limits;
  return { ...limits, maxSubscribers: Math.max(1, Math.floor(maxSubscribers / processes)) };
}

function followedMirror(
  { network, node, logger, mirror = {} }: WebServerOptions,
  reader: QueryBatcher,
): Pending | null {
  return node === null ? null : new FollowedMirror({ network, node, store: reader, logger, mirror });
}

const lacksPrivileges = (error: unknown): error is Error =>
  error instanceof Error && classifyPgError(error).kind === 'missing privileges';

/** Refuses a database that is not ours to serve; one that cannot be reached, read, or is empty, may become so. */
async function checkDatabase({ network, postgres, logger }: WebServerOptions): Promise<void> {
  const client = await openConnection(postgres, 'chain-indexer web server').catch((error: unknown) => {
    if (lacksPrivileges(error)) throw new OperatorError(connectHint(postgres, error), { cause: error });
    const explained = explainPostgresError(error, postgres);
    if (explained instanceof OperatorError) throw explained;
  });
  if (client === undefined) return;
  try {
    await identifyDatabase(client, { network: network.name, genesisId: network.genesisId });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    // The tip's watch says what to do.
    if (lacksPrivileges(error)) return;
    logger.warn({ err: error }, 'The database could not be looked at; going on without.');
  } finally {
    await client.end();
  }
}
