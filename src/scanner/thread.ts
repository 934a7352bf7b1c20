import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../config/module-file.ts';

/** What a thread has made lately: hardly anything of it lives long, so more would only be memory. */
const YOUNG_MEGABYTES = 16;

/** Starts one of the scanner's threads: a file of this folder, and what it is to know. */
export function startThread(file: `${string}.ts`, data: unknown): Worker {
  return new Worker(moduleUrl(file, import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
}
