import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../config/module-file.ts';

/** What a thread has made lately: hardly anything of it lives long, so more would only be memory. */
const YOUNG_MEGABYTES = 16;

/** Starts one of the scanner's threads: the name of a module of this folder, and what it is to know. */
export function startThread(name: 'feed-worker' | 'write-worker', data: unknown): Worker {
  return new Worker(moduleUrl(`./${name}`, import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
}
