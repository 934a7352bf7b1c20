/** The web server as a process has it: connections, port, start and stop. */
import type { AddressInfo } from 'node:net';
import type { Network } from '../chain/networks/network.ts';
import { OperatorError, systemErrorText } from '../config/operator-error.ts';
import { FEWEST_CONNECTIONS, PRIMARY_CONNECTIONS } from '../config/postgres.ts';
import type { MirrorOptions } from '../mempool/mirror.ts';
import { NodeClient, type NodeClientOptions } from '../node/client.ts';
import { explainPostgresError, openConnection, type PostgresOptions } from '../store/connect.ts';
import { connectAdvice } from '../store/read/access.ts';
import { judge } from '../store/read/error.ts';
import { Reader } from '../store/read/reader.ts';
import { TipWatch } from '../store/read/tip-watch.ts';
import { recogniseDatabase } from '../store/schema.ts';
import { buildApp } from './app.ts';
import type { ApiLogger } from './context.ts';
import type { ContractName } from './contract/contract.ts';
import type { Gather } from './metrics.ts';
import { FollowedMirror } from './pending/followed-mirror.ts';
import type { Pending } from './pending/pending.ts';

export interface WebServerOptions {
  readonly network: Network;
  readonly postgres: PostgresOptions;
  /** Port 0 takes a free one. */
  readonly bindAddress: { readonly host: string; readonly port: number };
  readonly contract: ContractName;
  readonly enablePostRoutes: boolean;
  /** For fee rates and submissions. */
  readonly node: NodeClientOptions | null;
  /** Transactions that wait for a block, where another process follows them; by default this one does, if there is a node. */
  readonly pending?: Pending;
  /** How the node's mempool is followed; for tests. */
  readonly mirror?: Partial<MirrorOptions>;
  /** How many processes share the database's connections. */
  readonly workers?: number;
  readonly cacheBytes?: number;
  /** After so long a read is given up. */
  readonly statementTimeoutMs?: number;
  /** In one of several processes: how their figures come together. */
  readonly gather?: Gather;
  readonly logger: ApiLogger;
}

export interface WebServer {
  readonly address: { readonly host: string; readonly port: number };
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
  const { bindAddress, logger, network } = options;
  const { workers = 1 } = options;
  const available = options.postgres.maxConnections - (workers > 1 ? PRIMARY_CONNECTIONS : 0);
  const maxConnections = Math.max(FEWEST_CONNECTIONS, Math.floor(available / workers));
  const postgres = { ...options.postgres, maxConnections };
  const { statementTimeoutMs } = options;
  const watch = new TipWatch({ postgres, logger });
  const reader = new Reader({
    postgres,
    logger,
    isSilent: () => watch.isSilent,
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
    const app = await buildApp({
      network,
      contract: options.contract,
      reader,
      watch,
      node,
      pending,
      enablePostRoutes: options.enablePostRoutes,
      logger,
      ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
      ...(options.gather === undefined ? {} : { gather: options.gather }),
    });
    await app.listen(bindAddress).catch((error: unknown) => {
      throw new OperatorError(
        `cannot listen on ${bindAddress.host}:${bindAddress.port}: ${systemErrorText(error)}. ` +
          'Choose another address with --bind-address.',
        { cause: error },
      );
    });
    const { address: host, port } = app.server.address() as AddressInfo;
    logger.info({}, `Listening on http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    return {
      address: { host, port },
      async stop() {
        const { server } = app;
        // A connection becomes idle when its answer is out; who does not take it is not waited for.
        const idle = setInterval(() => server.closeIdleConnections(), 20);
        const patience = setTimeout(() => server.closeAllConnections(), LONGEST_STOP_MS);
        await app.close();
        clearInterval(idle);
        clearTimeout(patience);
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

function followedMirror({ network, node, logger, mirror = {} }: WebServerOptions, reader: Reader): Pending | null {
  return node === null ? null : new FollowedMirror({ network, node, reader, logger, mirror });
}

const isForbidden = (error: unknown): error is Error => error instanceof Error && judge(error).kind === 'forbidden';

/** Refuses a database that is not ours to serve; one that cannot be reached, read, or is empty, may become so. */
async function checkDatabase({ network, postgres, logger }: WebServerOptions): Promise<void> {
  const client = await openConnection(postgres, 'chain-indexer web server').catch((error: unknown) => {
    if (isForbidden(error)) throw new OperatorError(connectAdvice(postgres, error), { cause: error });
    const explained = explainPostgresError(error, postgres);
    if (explained instanceof OperatorError) throw explained;
  });
  if (client === undefined) return;
  try {
    await recogniseDatabase(client, { network: network.name, genesisId: network.genesisId });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    // The tip's watch says what to do.
    if (isForbidden(error)) return;
    logger.warn({ err: error }, 'The database could not be looked at; going on without.');
  } finally {
    await client.end();
  }
}
