/**
 * The primary process of a web server with workers: it has the only mirror, and sends every change of it to the
 * workers.
 */
import type { Worker } from 'node:cluster';
import type { Network } from '../../chain/networks/network.ts';
import type { NodeClientOptions } from '../../node/client.ts';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { QueryBatcher } from '../../store/read/query-batcher.ts';
import type { ApiLogger } from '../route/context.ts';
import { FollowedMirror } from './followed-mirror.ts';
import { isPendingMessage, type ToPrimary } from './messages.ts';
import { WorkerFeed } from './worker-feed.ts';

export interface PrimaryOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  readonly postgres: PostgresOptions;
  readonly logger: ApiLogger;
}

/** The reader has one connection: the other one of the fewest is for a watch of the tip, which the workers do. */
const CONNECTIONS = 2;

export class PrimaryPending {
  readonly #reader: QueryBatcher;
  readonly #mirror: FollowedMirror;
  readonly #feeds = new Set<WorkerFeed>();

  constructor({ network, node, postgres, logger }: PrimaryOptions) {
    const store = new QueryBatcher({ postgres: { ...postgres, maxConnections: CONNECTIONS }, logger: quiet(logger) });
    this.#reader = store;
    // It goes on trying; the workers say when the database cannot be reached.
    store.open().catch(() => {});
    this.#mirror = new FollowedMirror({ network, node, store, logger });
    this.#mirror.listen((change) => {
      if (change.type !== 'Lost') for (const feed of this.#feeds) feed.change(change);
    });
    this.#mirror.onRevision((revision) => {
      for (const feed of this.#feeds) feed.reached(revision);
    });
  }

  /** From now on the worker gets what it asks for. */
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

/** What its connection meets, all workers meet and say as well. */
function quiet(logger: ApiLogger) {
  return { info: (fields: object, message: string) => logger.info(fields, message), warn() {} };
}
