/** Writes batches from a thread of its own, so that writing goes on while the next batch is being applied. */
import { Worker } from 'node:worker_threads';
import type { PostgresOptions } from '../store/connect.ts';
import type { WriteStep } from '../store/steps.ts';

/** What the thread answers to the steps of a transaction: null when it is committed. */
export type WriteAnswer = { readonly message: string; readonly code: string | undefined } | null;
/** Told while a statement has to wait. */
export interface WriteSilence {
  readonly silentSeconds: number;
}

/** A write failed, or its thread did; the transaction is rolled back. */
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
  #waiting: { resolve(): void; reject(error: Error): void } | null = null;
  #failure: Error | null = null;

  constructor(postgres: PostgresOptions, onSilence: (seconds: number) => void) {
    this.#worker = new Worker(new URL('./write-worker.ts', import.meta.url), { workerData: postgres });
    this.#worker.on('message', (answer: WriteAnswer | WriteSilence) => {
      if (answer !== null && 'silentSeconds' in answer) onSilence(answer.silentSeconds);
      else if (answer === null) this.#settle(null);
      else this.#settle(new BatchWriteError(answer.message, answer.code));
    });
    this.#worker.on('error', (error: unknown) => this.#fail(`the writing thread failed: ${String(error)}`));
    this.#worker.on('exit', () => this.#fail('the writing thread ended'));
  }

  /** Executes the steps as one transaction. One at a time: wait for the last before the next. */
  write(steps: readonly WriteStep[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      this.#waiting = { resolve, reject };
      const buffers = steps.flatMap((step) => (step.type === 'copy' ? step.chunks.map(({ buffer }) => buffer) : []));
      this.#worker.postMessage(steps, buffers);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(error: Error | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (error === null) waiting?.resolve();
    else waiting?.reject(error);
  }

  #fail(message: string): void {
    this.#failure ??= new BatchWriteError(message);
    this.#settle(this.#failure);
  }
}
