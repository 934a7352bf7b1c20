/** The metrics of the process itself: memory, event loop, garbage collection. */
import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** Returns their registry. There is one for a process, because its observers of the process never end. */
export function processRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
