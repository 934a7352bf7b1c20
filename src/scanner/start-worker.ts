import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../errors/program-command.ts';

/** The size of a thread's young generation. Hardly any of its objects live long, so more would only cost memory. */
const YOUNG_MEGABYTES = 16;

/**
 * Starts a worker thread of the scanner. `file`: relative to `from`, the caller's `import.meta.url`; `data`: its
 * `workerData`.
 */
export function startWorker(file: `${string}.ts`, from: string, data: unknown): Worker {
  return new Worker(moduleUrl(file, from), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
}
