/**
 * Keeps a process within its memory. V8 lets garbage pile up as long as the machine has memory, and knows nothing of
 * `--max-memory`: near that limit it is told to collect.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a process has of the machine's memory, and what of that its objects and buffers take, garbage included; in bytes. */
interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

interface MemoryGuardOptions {
  readonly limitBytes: number;
  readonly memory?: () => Memory;
  readonly collect?: (flavor: Flavor) => void;
}

/** `last-resort` gives the freed pages back to the machine, and takes three times as long as `regular`, which keeps them for use. */
export type Flavor = 'regular' | 'last-resort';

const MIB = 1024 * 1024;
/** V8 collects when what was left by the last collection has grown by so much; by itself it waits for up to four times as much. */
const GROWTH_PERCENT = 100;
/** From this part of the limit on, garbage is collected whenever so much has come. */
const PRESSED_PART = 0.7;
const COLLECTED_BYTES = 48 * MIB;
/** From this part on, pages are given back. */
const EXHAUSTED_PART = 0.93;
const CHECK_INTERVAL_MS = 50;
/** Between two collections, each of 30 to 100 ms. */
const PAUSE_MS = 400;
/** Between two that give pages back. Doubled while they do not help. */
const MIN_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

/** Begins to look after the memory; gives what ends it. */
export function guardMemory({
  limitBytes,
  memory = process.memoryUsage,
  collect = collector(),
}: MemoryGuardOptions): () => void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  const inUse = ({ heapUsed, external } = memory()): number => heapUsed + external;
  let left = 0;
  let notBefore = 0;
  let pauseMs = MIN_PAUSE_MS;
  let notExhaustedBefore = 0;
  const check = (now: number): void => {
    const { rss, ...used } = memory();
    if (rss > limitBytes * EXHAUSTED_PART && now >= notExhaustedBefore) {
      collect('last-resort');
      pauseMs = memory().rss > limitBytes * EXHAUSTED_PART ? Math.min(2 * pauseMs, MAX_PAUSE_MS) : MIN_PAUSE_MS;
      notExhaustedBefore = performance.now() + pauseMs;
    } else if (rss > limitBytes * PRESSED_PART && inUse({ rss, ...used }) > left + COLLECTED_BYTES) {
      collect('regular');
    } else return;
    left = inUse();
    notBefore = performance.now() + PAUSE_MS;
  };
  const timer = setInterval(() => {
    const now = performance.now();
    if (now >= notBefore) check(now);
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A full collection; Node has it behind a flag. */
function collector(): (flavor: Flavor) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  return (flavor) => collect({ type: 'major', execution: 'sync', flavor });
}
