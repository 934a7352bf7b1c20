/** The metrics of the process itself: memory, event loop, garbage collection. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

let registry: Registry | undefined;

/** Returns their registry. There is one for a process, because its observers of the process never end. */
export function processRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}

/** Adds the metric `name`, which is always 1: its labels say which build this is. */
export function addBuildInfo(registry: Registry, name: string, labels: Readonly<Record<string, string>>): void {
  const help = '1; the labels say which build this is';
  new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(labels, 1);
}
