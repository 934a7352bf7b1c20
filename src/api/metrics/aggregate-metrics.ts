/** The metrics of several workers as those of one web server. */
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

/** What a registry gives as JSON. */
export type MetricJson = MetricObjectWithValues<MetricValue<string>>[];

/** What one worker has said. */
export interface WorkerMetrics {
  readonly worker: number;
  readonly figures: MetricJson | undefined;
  readonly isSilent: boolean;
}

/** Of these neither a sum nor an average says anything: each worker has its own, with its number as a label. */
const OF_EACH = /^(nodejs_eventloop_lag_.*|process_(open|max)_fds)$/;
/** Where the library would leave something out. */
const AGGREGATORS: Readonly<Record<string, 'min'>> = { process_start_time_seconds: 'min' };

/**
 * The text for Prometheus: counters and histograms are sums, also over workers that have `ended`, so that none of them
 * ever falls; the others are what their `aggregator` says of the workers that live.
 */
export async function aggregateMetrics(
  workers: readonly WorkerMetrics[],
  ended: readonly MetricJson[],
): Promise<{ readonly text: string; readonly ended: MetricJson }> {
  const kept = await AggregatorRegistry.aggregate(ended.map((figures) => figures.filter(isLasting))).getMetricsAsJSON();
  const living = workers.flatMap(({ worker, figures }) => (figures === undefined ? [] : [ofWorker(worker, figures)]));
  const together: Registry = AggregatorRegistry.aggregate([...living, kept]);
  const silent = workers.filter(({ isSilent }) => isSilent).length;
  countWorkers(together, { answering: workers.length - silent, silent });
  return { text: await together.metrics(), ended: kept };
}

function isLasting({ type }: MetricJson[number]): boolean {
  return String(type) === 'counter' || String(type) === 'histogram';
}

function ofWorker(worker: number, figures: MetricJson): MetricJson {
  return figures.map((metric) => {
    if (OF_EACH.test(metric.name)) return { ...metric, values: metric.values.map((each) => labelled(each, worker)) };
    const aggregator = AGGREGATORS[metric.name];
    return aggregator === undefined ? metric : { ...metric, aggregator };
  });
}

function labelled(value: MetricValue<string>, worker: number): MetricValue<string> {
  // On its way from process to process, what is not a number has become null.
  const number = (value.value as number | null) ?? Number.NaN;
  return { ...value, value: number, labels: { worker, ...value.labels } };
}

function countWorkers(registry: Registry, counts: Readonly<Record<string, number>>): void {
  const gauge = new Gauge({
    name: 'chain_indexer_workers',
    help: 'Worker processes by state; the figures of a silent one, which does not answer within a second, are those of its last answer',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const [state, count] of Object.entries(counts)) gauge.set({ state }, count);
}
