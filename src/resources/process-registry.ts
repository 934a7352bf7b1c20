/** The metrics of the process itself: memory, event loop, garbage collection. */
import { type Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';

/** Prometheus' own checks refuse these names. */
const GAUGES_NAMED_AS_COUNTERS = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

let registry: Registry | undefined;

/** Returns their registry. There is one for a process, because its observers of the process never end. */
export function processRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const name of GAUGES_NAMED_AS_COUNTERS) registry.removeSingleMetric(name);
    countProcessorTimeOfStart(registry);
  }
  return registry;
}

/** prom-client counts processor time from its own start. */
function countProcessorTimeOfStart(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  for (const [name, microseconds] of Object.entries({ user, system, '': user + system })) {
    const counter = registry.getSingleMetric(`process_cpu_${name === '' ? '' : `${name}_`}seconds_total`);
    (counter as Counter | undefined)?.inc(microseconds / 1e6);
  }
}

/** Adds the metric `name`, which is always 1: its labels say which build this is. */
export function addBuildInfo(registry: Registry, name: string, labels: Readonly<Record<string, string>>): void {
  const help = '1; the labels say which build this is';
  new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(labels, 1);
}

/** A sample of a metric, in Prometheus' form. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

interface CollectedMetric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly values: () => readonly MetricSample[] | Promise<readonly MetricSample[]>;
}

/** Adds a metric whose samples are counted elsewhere. */
export function addCollected(registry: Registry, { type, name, help, values }: CollectedMetric): void {
  const get = async () => ({ name, help, type, aggregator: 'sum', values: await values() });
  // The registry uses only these two fields of a metric.
  registry.registerMetric({ name, get } as unknown as Metric);
}
