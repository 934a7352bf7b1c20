/** Limits of a program: memory, as configured or from the machine's, and open files. */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Option } from './option.ts';

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
/** Part of a machine that it shares with others, and of a container of its own. */
const PART_OF_MACHINE = 1 / 4;
const PART_OF_CONTAINER = 3 / 4;
/** The minimum memory of a process. */
export const MIN_MEMORY_BYTES = 256 * 1024 ** 2;
const MAX_DEFAULT_BYTES = 2 * 1024 ** 3;

/** An option with a number of bytes and a unit: `512M`, `2G`. */
export function memorySizeOption(help: string): Option<number | undefined> {
  return {
    placeholder: 'SIZE',
    help,
    fallback: undefined,
    read(value) {
      const match = /^(\d{1,15})(?:([kmgt])(?:i?b)?|b)?$/i.exec(value);
      const bytes = Number(match?.[1]) * UNITS[(match?.[2] ?? '').toLowerCase()]!;
      if (match && bytes >= MIN_MEMORY_BYTES && Number.isSafeInteger(bytes)) return bytes;
      throw new RangeError('must be a size of at least 256M, for example 512M or 2G');
    },
  };
}

/** Returns the default memory in bytes. `limit`: the container's; 0, or more than `total`, means none. */
export function defaultMemory(total = totalmem(), limit = process.constrainedMemory()): number {
  const isContainer = limit > 0 && limit < total;
  const bytes = isContainer ? limit * PART_OF_CONTAINER : total * PART_OF_MACHINE;
  return Math.floor(Math.min(Math.max(bytes, MIN_MEMORY_BYTES), MAX_DEFAULT_BYTES));
}

/** The open files of a process besides connections of clients, with a reserve. */
const OTHER_FILES = 256;
const WHERE_UNKNOWN = 10_000;
const MAX_CLIENT_CONNECTIONS = 65_536;

/** Returns how many client connections the limit of open files allows. Node has raised the soft limit to the hard one. */
export function maxClientConnections(limits = readLimits()): number {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (limit === undefined) return WHERE_UNKNOWN;
  if (limit === 'unlimited') return MAX_CLIENT_CONNECTIONS;
  return Math.min(Math.max(Number(limit) - OTHER_FILES, Math.ceil(Number(limit) / 2)), MAX_CLIENT_CONNECTIONS);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
