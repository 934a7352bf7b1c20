/**
 * Turns the node's answers into identified blocks. Worker threads parse and hash; decoding is so much cheaper than
 * handing decoded blocks from thread to thread that it is done again where they are needed.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { decodeBlock } from '../chain/codec/block.ts';
import type { IdentifiedBlock } from '../chain/types.ts';
import type { HashedBlocks, HashFailure } from './hash-worker.ts';

const MOST_WORKERS = 4;

export class BlockReader {
  readonly #workers: HashWorker[];
  #next = 0;

  constructor(workers = Math.min(MOST_WORKERS, Math.max(1, availableParallelism() - 1))) {
    this.#workers = Array.from({ length: workers }, () => new HashWorker());
  }

  /** The blocks of a body of `mainchainBlocksRaw`. Rejects for a damaged answer or block. */
  async read(body: Buffer): Promise<IdentifiedBlock[]> {
    const worker = this.#workers[this.#next++ % this.#workers.length]!;
    return decodeHashed(await worker.hash(body));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}

function decodeHashed({ bytes, ends, ids, rewardHashes, transactionIds }: HashedBlocks): IdentifiedBlock[] {
  return ids.map((id, i) => {
    const encoded = bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
    return {
      id,
      block: decodeBlock(encoded),
      transactionIds: transactionIds[i]!,
      rewardHash: rewardHashes[i]!,
      size: encoded.length,
    };
  });
}

interface Waiting {
  resolve(hashed: HashedBlocks): void;
  reject(error: Error): void;
}

/** A thread, started at its first work; answers come in the order of the questions. */
class HashWorker {
  #worker: Worker | null = null;
  readonly #waiting: Waiting[] = [];

  hash(body: Buffer): Promise<HashedBlocks> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(body);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./hash-worker.ts', import.meta.url));
    worker.on('message', (answer: HashedBlocks | HashFailure) => {
      const waiting = this.#waiting.shift();
      if (this.#waiting.length === 0) worker.unref();
      if ('failure' in answer) waiting?.reject(answer.failure);
      else waiting?.resolve(answer);
    });
    worker.on('error', (error: unknown) =>
      this.#fail(worker, error instanceof Error ? error : new Error(String(error))),
    );
    worker.on('exit', () => this.#fail(worker, new Error('a hashing thread ended')));
    worker.unref();
    return worker;
  }

  #fail(worker: Worker, error: Error): void {
    // A thread that failed ends a moment later, when another may have taken its place.
    if (worker !== this.#worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
