/** Decodes what clients send: long texts in a thread, because 1 MiB of small outputs takes 0.2 s. */
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../errors/program-command.ts';
import type { Caller } from '../../resources/shared-resources.ts';
import type { Slots } from '../../resources/slots.ts';
import { type DecodingRequest, type DecodingResponse, type Results, TASKS, type Task } from './tasks.ts';

/** In bytes: up to here handing it over would take as long as decoding it. */
const MAX_INLINE_BYTES = 16_384;
/** The longest transaction with the smallest outputs takes some 50; with more room, garbage of several would pile up. */
const MEMORY_MEGABYTES = 64;
const YOUNG_MEGABYTES = 8;

interface Waiting {
  resolve(result: Results[Task]): void;
  reject(error: Error): void;
}

export class DecodingThread {
  readonly #slots: Slots;
  readonly #memoryMegabytes: number;
  /** From the first long text on; a thread that has ended is replaced when the next one comes. */
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  /** `slots`: how many long texts are in the thread or before it. */
  constructor(slots: Slots, memoryMegabytes = MEMORY_MEGABYTES) {
    this.#slots = slots;
    this.#memoryMegabytes = memoryMegabytes;
  }

  /** No text of it is made before its turn. Rejects when the thread ends, and with a ResourceRefusal. */
  async decode<T extends Task>(task: T, body: Uint8Array, caller: Caller): Promise<Results[T]> {
    if (body.length <= MAX_INLINE_BYTES) return TASKS[task](body);
    return this.#slots.run(caller, 1, () => this.#inThread(task, body));
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #inThread<T extends Task>(task: T, body: Uint8Array): Promise<Results[T]> {
    this.#worker ??= this.#start();
    const number = this.#requests++;
    // Of its own, because the thread takes it over.
    const request: DecodingRequest = { number, task, body: new Uint8Array(body) };
    this.#worker.postMessage(request, [request.body.buffer as ArrayBuffer]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve: (result) => resolve(result as Results[T]), reject });
    });
  }

  #start(): Worker {
    const worker = new Worker(moduleUrl('./decoding-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    let reason: unknown;
    worker.on('message', ({ number, result }: DecodingResponse) => {
      this.#waiting.get(number)!.resolve(result);
      this.#waiting.delete(number);
    });
    worker.on('error', (error: unknown) => {
      reason = error;
    });
    worker.on('exit', () => {
      this.#worker = null;
      const error = new Error('the thread that decodes has ended', { cause: reason });
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    // After the listeners, which would undo it. A server's connections keep its process alive.
    worker.unref();
    return worker;
  }
}
