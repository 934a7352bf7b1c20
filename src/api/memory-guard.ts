/**
 * Keeps a process within its memory. V8 lets garbage pile up as long as the machine has memory, and knows nothing of
 * `--max-memory`: near that limit it is told to collect.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface MemoryGuardOptions {
  readonly limitBytes: number;
  /** What the process has of the machine's memory, in bytes. */
  readonly residentBytes?: () => number;
  readonly collect?: () => void;
}

/** V8 collects when what was left by the last collection has grown by so much; by itself it waits for up to four times as much. */
const GROWTH_PERCENT = 100;
/** From this part of the limit on. */
const PRESSED_PART = 0.85;
const CHECK_INTERVAL_MS = 50;
/** Between two collections, each of some 100 ms. Doubled while they do not help. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** Begins to look after the memory; gives what ends it. */
export function guardMemory({
  limitBytes,
  residentBytes = process.memoryUsage.rss,
  collect = collector(),
}: MemoryGuardOptions): () => void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  let pauseMs = MIN_PAUSE_MS;
  let notBefore = 0;
  const isPressed = (): boolean => residentBytes() > limitBytes * PRESSED_PART;
  const timer = setInterval(() => {
    if (performance.now() < notBefore || !isPressed()) return;
    collect();
    pauseMs = isPressed() ? Math.min(2 * pauseMs, MAX_PAUSE_MS) : MIN_PAUSE_MS;
    notBefore = performance.now() + pauseMs;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A full collection; Node has it behind a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  // After any other V8 keeps the freed pages.
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
