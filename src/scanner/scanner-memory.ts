/** The parts of a scanner's memory (`--max-memory`). */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIB = 1024 * 1024;
/** With so much memory a scanner takes what V8 takes by itself, and indexes are built with as much as helps. */
export const AMPLE_MEMORY_BYTES = 2048 * MIB;
const MAX_BUILD_BYTES = 256 * MIB;
const MAX_TRANSACTION_BYTES = 48 * MIB;
/** What a scanner needs in any case. The rest is divided. */
const BASE_BYTES = 200 * MIB;

function restOf(memoryBytes: number): number {
  return Math.max(memoryBytes - BASE_BYTES, 0);
}

/** Returns the bytes of rows that stay cached between batches. */
export function cacheBytesOf(memoryBytes: number): number {
  return restOf(memoryBytes) / 3;
}

/**
 * Returns the bytes of blocks that a bulk sync commits together: their changes stay in memory until then. With fewer, each
 * transaction still reads and writes almost every page of the index of outpoints, which little memory cannot hold.
 */
export function transactionBytesOf(memoryBytes: number): number {
  return Math.min(restOf(memoryBytes) / 5, MAX_TRANSACTION_BYTES);
}

/**
 * Returns the memory in PostgreSQL for the sorting of one index build. The scanner needs little of its own memory
 * meanwhile.
 */
export function indexBuildMegabytes(memoryBytes: number): number {
  return Math.floor(Math.min(memoryBytes / 4, MAX_BUILD_BYTES) / MIB);
}

const MIN_GROWTH_PERCENT = 20;
const GROWTH_PERCENT_PER_MIB = 0.3;

/**
 * Lets V8 collect garbage earlier in this process if its memory is not ample: by default its heap becomes up to four times
 * as large as what is in use.
 */
export function limitHeapGrowth(memoryBytes: number): void {
  if (memoryBytes >= AMPLE_MEMORY_BYTES) return;
  const percent = Math.max((restOf(memoryBytes) / MIB) * GROWTH_PERCENT_PER_MIB, MIN_GROWTH_PERCENT);
  setFlagsFromString(`--heap-growing-percent=${Math.round(percent)}`);
}

/** Collects all garbage and returns the freed pages to the machine, which V8 does only much later. */
export function returnFreeMemory(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext(`gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })`);
}
