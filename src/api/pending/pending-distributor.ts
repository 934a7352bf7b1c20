/** In the primary process of a web server with workers: one mirror of the mempool, whose changes all workers get. */
import type { Worker } from 'node:cluster';
import type { Network } from '../../chain/networks/network.ts';
import type { NodeClientOptions } from '../../node/client.ts';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { QueryDispatcher } from '../../store/read/query-dispatcher.ts';
import type { ApiLogger } from '../logging/logger-interface.ts';
import { NodePendingTransactions } from './node-pending.ts';
import { WorkerFeed } from './worker-feed.ts';
import { isPendingMessage, type ToPrimary } from './worker-messages.ts';

interface PendingDistributorOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  readonly logger: ApiLogger;
}

/** One is for queries; the store reserves the other one for a tip watch, which only workers have. */
const CONNECTIONS = 2;

export class PendingDistributor {
  readonly #reader: QueryDispatcher;
  readonly #mirror: NodePendingTransactions;
  readonly #feeds = new Set<WorkerFeed>();

  constructor({ network, node, postgres, logger }: PendingDistributorOptions) {
    const store = new QueryDispatcher({
      postgres: { ...postgres, maxConnections: CONNECTIONS },
      logger: quiet(logger),
    });
    this.#reader = store;
    // It keeps trying; the workers log it when the database cannot be reached.
    store.open().catch(() => {});
    this.#mirror = new NodePendingTransactions({ network, node, store, logger });
    this.#mirror.listen((change) => {
      if (change.type !== 'Lost') for (const feed of this.#feeds) feed.change(change);
    });
    this.#mirror.onRevision((revision) => {
      for (const feed of this.#feeds) feed.reached(revision);
    });
  }

  /** Starts to answer the messages of a worker. */
  add(worker: Worker): void {
    let feed: WorkerFeed | undefined;
    worker.on('message', (message: unknown) => {
      if (!isPendingMessage<ToPrimary>(message)) return;
      switch (message.pending) {
        case 'wanted':
          feed ??= new WorkerFeed(this.#mirror, (sent, done) =>
            worker.process.send?.(sent, undefined, undefined, done),
          );
          this.#feeds.add(feed);
          return;
        case 'moved':
          return this.#mirror.indexMoved(message.revision);
        case 'find':
          return feed?.find(message.number, message.id);
      }
    });
    worker.once('exit', () => {
      if (feed === undefined) return;
      feed.end();
      this.#feeds.delete(feed);
    });
  }

  async close(): Promise<void> {
    this.#reader.close();
    await this.#mirror.close();
  }
}

/** Without warnings: all workers meet the same problems of the database, and log them. */
function quiet(logger: ApiLogger) {
  return { info: (fields: object, message: string) => logger.info(fields, message), warn() {} };
}
