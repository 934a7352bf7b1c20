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

/** How much more than what is in use V8 lets become garbage; by itself it lets up to four times as much. */
const GROWTH_PERCENT = 50;
/** From this part of the limit on. */
const PRESSED_PART = 0.85;
const CHECK_INTERVAL_MS = 50;
/** Between two collections, each of some 50 ms. Doubled while they do not help. */
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Begins to look after the memory; gives what ends it. */
export function guardMemory({
  limitBytes,
  residentBytes = process.memoryUsage.rss,
  collect = collector(),
}: MemoryGuardOptions): () => void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  let pauseMs = SHORTEST_PAUSE_MS;
  let notBefore = 0;
  const isPressed = (): boolean => residentBytes() > limitBytes * PRESSED_PART;
  const timer = setInterval(() => {
    if (performance.now() < notBefore || !isPressed()) return;
    collect();
    pauseMs = isPressed() ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
    notBefore = performance.now() + pauseMs;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A full collection; Node has it behind a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  // After another kind of collection V8 keeps the memory for itself.
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
