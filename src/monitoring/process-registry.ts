/** The metrics of the process itself (memory, event loop, garbage collection), and functions that add others to a registry. */
import { type Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';

/** Prometheus' own checks refuse these names. */
const GAUGES_NAMED_AS_COUNTERS = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

let registry: Registry | undefined;

/** Returns the registry of the process itself. There is one for a process, because its observers of the process never end. */
export function processMetricsRegistry(): Registry {
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

/** What a metric is at the moment: null if there is no value yet. */
export type Figure = number | null | readonly MetricSample[];

/** Returns a sample for each value of a label. */
export function samplesByLabelValue(label: string, values: Readonly<Record<string, number>>): MetricSample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Adds a metric that is counted elsewhere. As its name says, it is a counter (`_total`), a histogram of seconds, or a gauge. */
export function addCollectedMetric(
  registry: Registry,
  name: string,
  help: string,
  figure: () => Figure | Promise<Figure>,
): void {
  const type = name.endsWith('_total') ? 'counter' : name.endsWith('_duration_seconds') ? 'histogram' : 'gauge';
  const get = async () => {
    const value = await figure();
    const values = typeof value === 'number' ? [{ labels: {}, value }] : (value ?? []);
    return { name, help, type, aggregator: 'sum', values };
  };
  // The registry uses only these two fields of a metric.
  registry.registerMetric({ name, get } as unknown as Metric);
}
