/** Writes batches in a thread of its own while the next batch is being applied. */
import type { Worker } from 'node:worker_threads';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import type { WriteStatement } from '../../store/write/write-plan.ts';
import { startWorker } from '../start-worker.ts';

/** Steps for the thread; it begins a transaction when none is open, and commits it when told that this is its end. */
export interface WriteRequest {
  readonly steps: readonly WriteStatement[];
  readonly commits: boolean;
}
/** What the thread answers to an order: null when it is carried out. */
export type WriteResult = { readonly message: string; readonly code: string | undefined } | null;
/** Told while a statement has to wait. */
export interface WriteStalled {
  readonly silentSeconds: number;
}

/** A write failed, or its thread did; the transaction is rolled back, and nothing more is written. */
export class BatchWriteError extends Error {
  override readonly name = 'BatchWriteError';
  /** The SQLSTATE, where PostgreSQL gave one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export class BatchWriter {
  readonly #worker: Worker;
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = [];
  #failure: Error | null = null;

  constructor(postgres: PostgresOptions, onSilence: (seconds: number) => void) {
    this.#worker = startWorker('./batch-writer-worker.ts', import.meta.url, postgres);
    this.#worker.on('message', (answer: WriteResult | WriteStalled) => {
      if (answer === null) this.#waiting.shift()?.resolve();
      else if ('silentSeconds' in answer) onSilence(answer.silentSeconds);
      else this.#fail(new BatchWriteError(answer.message, answer.code));
    });
    this.#worker.on('error', (error: unknown) =>
      this.#fail(new BatchWriteError(`the writing thread failed: ${String(error)}`)),
    );
    this.#worker.on('exit', () => this.#fail(new BatchWriteError('the writing thread ended')));
  }

  /** Executes the steps in the open transaction, or in a new one. Orders are carried out one after the other. */
  write(order: WriteRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      this.#waiting.push({ resolve, reject });
      const buffers = order.steps.flatMap((step) =>
        step.type === 'copy' ? step.chunks.map(({ buffer }) => buffer) : [],
      );
      this.#worker.postMessage(order, buffers);
    });
  }

  /** An open transaction is rolled back. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
