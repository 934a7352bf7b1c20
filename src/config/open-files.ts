import { readFileSync } from 'node:fs';
import { OperatorError } from '../errors/operator-error.ts';

/** Files, sockets and pipes of a program: its libraries, PostgreSQL, the node, threads, and some clients. */
const NEEDED_FILES = 256;

/** Throws an OperatorError if the process may open fewer files than a program needs. Only Linux tells the limit. */
export function requireOpenFiles(limits = readLimits()): void {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit >= NEEDED_FILES) return;
  throw new OperatorError(
    `this process may have ${limit} open files and connections, and needs at least ${NEEDED_FILES}, with many clients as ` +
      'many more as there are. Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 for systemd.',
  );
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
