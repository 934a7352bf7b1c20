/** How many connections the limit of open files allows a process. */
import { readFileSync } from 'node:fs';

/** Files that a process has open besides connections of clients, with room. */
const OTHER_FILES = 256;
const WHERE_UNKNOWN = 10_000;
const MOST = 65_536;

/** What the limit of open files leaves for connections of clients. Node has raised the soft limit to the hard one. */
export function maxClientConnections(limits = readLimits()): number {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (limit === undefined) return WHERE_UNKNOWN;
  if (limit === 'unlimited') return MOST;
  return Math.min(Math.max(Number(limit) - OTHER_FILES, Math.ceil(Number(limit) / 2)), MOST);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
