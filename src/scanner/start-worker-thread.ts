import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../errors/program-command.ts';

/** The heap for new objects of a thread. Few of them live long, so a larger heap would waste memory. */
const YOUNG_MEGABYTES = 16;

/**
 * Starts a worker thread of the scanner. `file`: relative to `from`, the caller's `import.meta.url`; `data`: its
 * `workerData`.
 */
export function startWorkerThread(file: `${string}.ts`, from: string, data: unknown): Worker {
  return new Worker(moduleUrl(file, from), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
}
