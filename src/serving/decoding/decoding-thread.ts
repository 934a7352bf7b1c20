/**
 * Decodes what clients send. Long texts are decoded in a thread, because 1 MiB of small outputs takes 0.2 s. Signatures are checked
 * there, too: each takes 3 ms, and a multisig has up to 32.
 */
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../errors/program-command.ts';
import type { Caller } from '../resources/caller.ts';
import type { Slots } from '../resources/slots.ts';
import {
  DECODING_TASKS,
  type DecodingRequest,
  type DecodingResponse,
  type DecodingResults,
  type DecodingTask,
} from './decoding-tasks.ts';

/** Longer texts are decoded in the thread, in bytes. For shorter ones the transfer would take as long as the decoding. */
const MAX_INLINE_BYTES = 16_384;
/** The task that takes long whatever the length of the body. */
const ALWAYS_IN_THREAD: DecodingTask = 'signedMessage';
/** The thread's memory. A transaction needs a few MB, JSON that is none up to 50 MB. */
const MEMORY_MEGABYTES = 64;
const YOUNG_MEGABYTES = 8;

interface Waiting {
  resolve(result: DecodingResults[DecodingTask]): void;
  reject(error: Error): void;
}

export class DecodingThread {
  readonly #slots: Slots;
  readonly #memoryMegabytes: number;
  /** The thread, started when it is needed first. If it has ended, it is started again. */
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  /** `slots`: the long texts and signatures that are in the thread or wait for it. */
  constructor(slots: Slots, memoryMegabytes = MEMORY_MEGABYTES) {
    this.#slots = slots;
    this.#memoryMegabytes = memoryMegabytes;
  }

  /** Decodes a body. What the thread does waits for its turn first. Rejects if the thread ends, and with a ResourceRefusal. */
  async decode<T extends DecodingTask>(task: T, body: Uint8Array, caller: Caller): Promise<DecodingResults[T]> {
    if (task !== ALWAYS_IN_THREAD && body.length <= MAX_INLINE_BYTES) return DECODING_TASKS[task](body);
    return this.#slots.run(caller, 1, () => this.#inThread(task, body));
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #inThread<T extends DecodingTask>(task: T, body: Uint8Array): Promise<DecodingResults[T]> {
    this.#worker ??= this.#start();
    const number = this.#requests++;
    // The body is converted only when its turn comes. It is a copy, because it is transferred to the thread.
    const request: DecodingRequest = { number, task, body: new Uint8Array(body) };
    this.#worker.postMessage(request, [request.body.buffer as ArrayBuffer]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve: (result) => resolve(result as DecodingResults[T]), reject });
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
    // Must follow the listeners, because adding one makes the thread keep the process alive.
    worker.unref();
    return worker;
  }
}
