import type { PendingSet } from './pending-set.ts';

/** Returns the function that computes something of a pending set once for each of its states. */
export function oncePerRevision<Value>(compute: (pool: PendingSet) => Value): (pool: PendingSet) => Value {
  const kept = new WeakMap<PendingSet, { readonly revision: number; readonly value: Value }>();
  return (pool) => {
    const known = kept.get(pool);
    if (known?.revision === pool.revision) return known.value;
    const value = compute(pool);
    kept.set(pool, { revision: pool.revision, value });
    return value;
  };
}
