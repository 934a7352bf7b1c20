/** Writes batches in a separate thread while the next batches are being applied. */
import type { Worker } from 'node:worker_threads';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import type { WriteStatement } from '../../store/write/transferable-statements.ts';
import { startWorkerThread } from '../start-worker-thread.ts';

/**
 * Statements for the thread. They run in the open transaction, or in a new one. `commits`: the transaction is
 * committed.
 */
export interface WriteRequest {
  readonly statements: readonly WriteStatement[];
  readonly commits: boolean;
}
/** The thread's reply to a request: null when its statements are executed. */
export type WriteResult = { readonly message: string; readonly code: string | undefined } | null;
/** Sent while a statement waits for PostgreSQL. */
export interface WriteStalled {
  readonly stalledSeconds: number;
}

/** A write or its thread failed. The transaction is rolled back, and nothing more is written. */
export class BatchWriteError extends Error {
  override readonly name = 'BatchWriteError';
  /** The SQLSTATE, if PostgreSQL sent one. */
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

  constructor(postgres: PostgresOptions, onStall: (seconds: number) => void) {
    this.#worker = startWorkerThread('./batch-writer-worker.ts', import.meta.url, postgres);
    this.#worker.on('message', (answer: WriteResult | WriteStalled) => {
      if (answer === null) this.#waiting.shift()?.resolve();
      else if ('stalledSeconds' in answer) onStall(answer.stalledSeconds);
      else this.#fail(new BatchWriteError(answer.message, answer.code));
    });
    this.#worker.on('error', (error: unknown) =>
      this.#fail(new BatchWriteError(`the writing thread failed: ${String(error)}`)),
    );
    this.#worker.on('exit', () => this.#fail(new BatchWriteError('the writing thread ended')));
  }

  /** Executes the statements in the open transaction, or in a new one. Requests are executed one after the other. */
  write(request: WriteRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      this.#waiting.push({ resolve, reject });
      const buffers = request.statements.flatMap((statement) =>
        statement.type === 'copy' ? statement.chunks.map(({ buffer }) => buffer) : [],
      );
      this.#worker.postMessage(request, buffers);
    });
  }

  /** Ends the thread. An open transaction is rolled back. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
