/**
 * Collects garbage for `--max-memory`. V8 does not know this limit, and lets garbage grow as long as the machine has
 * memory. `guardMemory` keeps a web server within it; the scanner returns its memory at the end of a bulk sync.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { backoffPause } from '../errors/backoff.ts';

/** The memory of a process, and of that the memory of its objects and buffers, including garbage; in bytes. */
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

/**
 * `minor` collects only what was made lately, in a few milliseconds. `regular` collects everything, and keeps the freed
 * pages for reuse. `last-resort` takes three times as long, and returns them to the machine.
 */
type Flavor = 'minor' | 'regular' | 'last-resort';

const MIB = 1024 * 1024;
/**
 * V8 collects when the heap has grown by this much since the last collection. Its default allows up to four times as
 * much.
 */
const GROWTH_PERCENT = 100;
/** While the memory is above this part of the limit, garbage is collected after each growth by this amount. */
const PRESSED_PART = 0.7;
const COLLECTED_BYTES = 48 * MIB;
/** While the memory is above this part of the limit, freed pages are returned to the machine. */
const EXHAUSTED_PART = 0.88;
const CHECK_INTERVAL_MS = 50;
/** The pause between two collections, which take 30 to 100 ms each. */
const PAUSE_MS = 400;
/** The pauses between collections that return pages; they grow while these do not help. */
const EXHAUSTED_PAUSES = { firstMs: 2_000, maxMs: 30_000 };

/** Starts to watch the memory. Returns the function that stops it. */
export function guardMemory({
  limitBytes,
  memory = process.memoryUsage,
  collect = garbageCollector(),
}: MemoryGuardOptions): () => void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  const exhaustedBytes = limitBytes * EXHAUSTED_PART;
  /** The memory in use after the last collection. */
  let left = 0;
  let hasTriedMinor = false;
  let notBefore = 0;
  let notExhaustedBefore = 0;
  let inVain = 0;
  const check = (now: number): void => {
    const before = memory();
    const isExhausted = before.rss > exhaustedBytes && now >= notExhaustedBefore;
    const isPressed = before.rss > limitBytes * PRESSED_PART && inUse(before) > left + COLLECTED_BYTES;
    hasTriedMinor &&= isPressed;
    if (!isExhausted && !isPressed) return;
    if (!isExhausted && !hasTriedMinor) {
      collect('minor');
      hasTriedMinor = true;
      return;
    }
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
    try {
      if (now >= notBefore) check(now);
    } catch {
      // Node reads the memory from a file, and too many files may be open.
    }
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function inUse({ heapUsed, external }: Memory): number {
  return heapUsed + external;
}

/** Returns a function for a collection, which Node has only behind a flag. */
export function garbageCollector(): (flavor: Flavor) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  return (flavor) => collect(flavor === 'minor' ? { type: 'minor' } : { type: 'major', execution: 'sync', flavor });
}
