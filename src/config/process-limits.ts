/** Limits of a program: memory, as configured or from the machine's, and open files. */

import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { OperatorError } from '../errors/operator-error.ts';
import { MIN_MEMORY_BYTES } from '../serving/resources/create-resources.ts';
import type { Option } from './option.ts';

const MIB = 1024 ** 2;

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
/** What a program takes of a machine, which has others. */
const PART_OF_MACHINE = 1 / 4;
/** What a program takes of its own container. */
const PART_OF_CONTAINER = 3 / 4;
/** The minimum memory of PostgreSQL, the scanner and one web server together. */
const MIN_TOTAL_BYTES = 3 * MIN_MEMORY_BYTES;
/** The most that a program takes by default. */
const MAX_DEFAULT_BYTES = 2 * 1024 ** 3;

/** An option with a number of bytes and a unit: `512M`, `2G`. */
function memorySizeOption(help: string, least: number): Option<number | undefined> {
  return {
    placeholder: 'SIZE',
    help,
    fallback: undefined,
    read(value) {
      const match = /^(\d{1,15})(?:([kmgt])(?:i?b)?|b)?$/i.exec(value);
      const bytes = Number(match?.[1]) * UNITS[(match?.[2] ?? '').toLowerCase()]!;
      if (match && bytes >= least && Number.isSafeInteger(bytes)) return bytes;
      throw new RangeError(`must be a size of at least ${least / MIB}M, for example 1G or 1536M`);
    },
  };
}

/** `--max-memory` of the scanner and of the web server. */
export const maxMemoryOption = memorySizeOption(
  "Memory limit of the program including its workers [default: a quarter of the machine's memory, three quarters of a container's limit, at most 2G]",
  MIN_MEMORY_BYTES,
);

/** `--max-memory` of `npm start`. */
export const totalMemoryOption = memorySizeOption(
  "Memory of PostgreSQL, the scanner and the web server together; the devnet's comes on top [default: half of the machine's memory, a container's limit]",
  MIN_TOTAL_BYTES,
);

/**
 * Returns the default memory of a program in bytes. `limit`: the container's; 0, or more than `total`, means none. Throws
 * an OperatorError if the machine or the container has less than the minimum.
 */
export function defaultMemory(total = totalmem(), limit = process.constrainedMemory()): number {
  const { isContainer, memory } = availableMemory(MIN_MEMORY_BYTES, total, limit);
  const bytes = memory * (isContainer ? PART_OF_CONTAINER : PART_OF_MACHINE);
  return Math.floor(Math.min(Math.max(bytes, MIN_MEMORY_BYTES), MAX_DEFAULT_BYTES));
}

/** The memory that `npm start` gives to each program, in bytes. */
interface MemoryShares {
  readonly postgres: number;
  readonly scanner: number;
  readonly webServer: number;
}

/**
 * Divides the memory of `npm start`; `given`: `--max-memory`. Throws an OperatorError if it is too little for the web
 * server's workers, or if the machine or the container has less than the minimum.
 */
export function divideMemory(
  given: number | undefined,
  workers: number,
  total = totalmem(),
  limit = process.constrainedMemory(),
): MemoryShares {
  const least = MIN_TOTAL_BYTES + (workers - 1) * MIN_MEMORY_BYTES;
  const { isContainer, memory } = availableMemory(MIN_TOTAL_BYTES, total, limit);
  const all = given ?? Math.max(isContainer ? memory : memory / 2, least);
  if (all < least) throw tooLittleMemoryError(workers, least);
  const webServer = Math.min(Math.max(all / 4, workers * MIN_MEMORY_BYTES), workers * MAX_DEFAULT_BYTES);
  const postgres = ((all - webServer) * 5) / 12;
  const scanner = Math.min(all - webServer - postgres, MAX_DEFAULT_BYTES);
  return { postgres: Math.floor(postgres), scanner: Math.floor(scanner), webServer: Math.floor(webServer) };
}

function availableMemory(least: number, total: number, limit: number) {
  const isContainer = limit > 0 && limit < total;
  const memory = isContainer ? limit : total;
  if (memory >= least) return { isContainer, memory };
  const where = isContainer ? 'The memory limit of this container' : 'The memory of this machine';
  throw new OperatorError(
    `${where} is ${Math.floor(memory / MIB)} MB, and at least ${least / MIB} MB are needed. ` +
      `${isContainer ? 'Raise the limit' : 'Use a larger machine'}.`,
  );
}

/** Returns the error for a `--max-memory` that is too little for the number of workers. */
export function tooLittleMemoryError(workers: number, least: number): OperatorError {
  const enough = `${Math.ceil(least / MIB)}M`;
  return new OperatorError(`--max-memory is too little for ${workers} workers: give at least ${enough}. See --help.`);
}

/** Files, sockets and pipes of a program besides connections of clients: its libraries, PostgreSQL, the node, threads, a reserve. */
const OTHER_FILES = 256;
const WHERE_UNKNOWN = 10_000;
const MAX_CLIENT_CONNECTIONS = 65_536;

/** Throws an OperatorError if the process may open fewer files than a program needs. Only Linux tells the limit. */
export function requireOpenFiles(limits = readLimits()): void {
  const limit = openFiles(limits);
  if (limit === undefined || limit >= OTHER_FILES) return;
  throw new OperatorError(
    `this process may have ${limit} open files and connections, and needs at least ${OTHER_FILES}, with many clients as ` +
      'many more as there are. Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 for systemd.',
  );
}

/** Returns how many client connections the limit of open files allows. Node has raised the soft limit to the hard one. */
export function maxClientConnections(limits = readLimits()): number {
  const limit = openFiles(limits);
  if (limit === undefined) return WHERE_UNKNOWN;
  return Math.min(Math.max(limit - OTHER_FILES, Math.ceil(limit / 2)), MAX_CLIENT_CONNECTIONS);
}

/** Returns the limit of open files; infinity if there is none, undefined if it is unknown. */
function openFiles(limits: string): number | undefined {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit === undefined ? limit : Number(limit);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
