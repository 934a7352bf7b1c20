/** Runs the garbage collector, for tests that memory is released. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

/** Collects everything that nothing refers to. */
export function collectAll(): void {
  gc({ type: 'major' });
}

/** Collects young objects, as happens many times a second. Objects that survive twice stay until {@link collectAll}. */
export function collectYoung(): void {
  gc({ type: 'minor' });
  gc({ type: 'minor' });
}
