/**
 * Keeps a process within its memory. V8 lets garbage pile up as long as the machine has memory, and knows nothing of
 * `--max-memory`: near that limit it is told to collect.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { backoffPause } from '../errors/backoff.ts';

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
type Flavor = 'regular' | 'last-resort';

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
/** Between two that give pages back, longer while they do not help. */
const EXHAUSTED_PAUSES = { firstMs: 2_000, maxMs: 30_000 };

/** Begins to look after the memory; gives what ends it. */
export function guardMemory({
  limitBytes,
  memory = process.memoryUsage,
  collect = collector(),
}: MemoryGuardOptions): () => void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  const exhaustedBytes = limitBytes * EXHAUSTED_PART;
  /** In use after the last collection. */
  let left = 0;
  let notBefore = 0;
  let notExhaustedBefore = 0;
  let inVain = 0;
  const check = (now: number): void => {
    const before = memory();
    const isExhausted = before.rss > exhaustedBytes && now >= notExhaustedBefore;
    const isPressed = before.rss > limitBytes * PRESSED_PART && inUse(before) > left + COLLECTED_BYTES;
    if (!isExhausted && !isPressed) return;
    collect(isExhausted ? 'last-resort' : 'regular');
    const after = memory();
    left = inUse(after);
    const collectedAt = performance.now();
    notBefore = collectedAt + PAUSE_MS;
    if (!isExhausted) return;
    inVain = after.rss > exhaustedBytes ? inVain + 1 : 0;
    notExhaustedBefore = collectedAt + backoffPause(EXHAUSTED_PAUSES, inVain + 1);
  };
  const timer = setInterval(() => {
    const now = performance.now();
    if (now >= notBefore) check(now);
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function inUse({ heapUsed, external }: Memory): number {
  return heapUsed + external;
}

/** A full collection; Node has it behind a flag. */
function collector(): (flavor: Flavor) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  return (flavor) => collect({ type: 'major', execution: 'sync', flavor });
}
