/**
 * The thread of `block-feed.ts`: fetches ranges of blocks, hashes and checks them ahead of their use. It calls the node
 * itself, so it does not wait for the main thread, which is busy applying blocks.
 */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { NodeClient, type NodeClientOptions } from '../../node/client.ts';
import type { NodeLogger } from '../../node/logger-interface.ts';
import { NodeInUse } from '../../node/node-in-use.ts';
import { type HashedBlocks, hashBlocks } from './hashed-blocks.ts';
import { prefetchBlocks } from './prefetch-blocks.ts';

/** The data that the thread starts with; a logger cannot be sent to a thread. `shared`: of the `NodeInUse` of the main thread. */
export interface FeedThreadData extends Omit<NodeClientOptions, 'logger' | 'inUse'> {
  readonly shared?: NodeInUse['shared'] | undefined;
}
/** Messages from the main thread: first the range of heights; then, repeatedly, how many bytes it has taken. */
export type FeedRequest = { readonly from: number; readonly to: number } | { readonly takenBytes: number };
/**
 * Messages to the main thread: pages in the order of their heights, and null after the last one; failures and log
 * lines.
 */
export type FeedMessage = HashedBlocks | null | { readonly failure: string } | FeedLog;
interface FeedLog {
  readonly level: keyof NodeLogger;
  readonly fields: object;
  readonly message: string;
}

/** The most bytes of blocks that wait to be taken. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024;

const port = parentPort!;
let waitingBytes = 0;

function post(message: FeedMessage, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function feed(from: number, to: number): Promise<void> {
  const log = (level: keyof NodeLogger) => (fields: object, message: string) => post({ level, fields, message });
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn') };
  const { shared, ...options } = workerData as FeedThreadData;
  const node = new NodeClient({ ...options, inUse: new NodeInUse(shared), logger });
  const { signal } = new AbortController();
  for await (const hashed of prefetchBlocks({ node, from, to, signal }, async (body) => hashBlocks(body))) {
    waitingBytes += hashed.bytes.length;
    post(hashed, [hashed.bytes.buffer]);
    while (waitingBytes > MAX_WAITING_BYTES) await once(port, 'message');
  }
  post(null);
}

port.on('message', (order: FeedRequest) => {
  if ('takenBytes' in order) waitingBytes -= order.takenBytes;
  else feed(order.from, order.to).catch((error: unknown) => post({ failure: String(error) }));
});
