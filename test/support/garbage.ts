/** The garbage collector on demand: what is no longer needed must not stay in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

/** Collects everything that nothing refers to. */
export function collectAll(): void {
  gc({ type: 'major' });
}

/** Collects what was made lately, as happens many times a second; what survives it twice stays until {@link collectAll}. */
export function collectYoung(): void {
  gc({ type: 'minor' });
  gc({ type: 'minor' });
}
