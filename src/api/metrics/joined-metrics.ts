/** The metrics of all workers of a web server: each sample has the label `worker`. */
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';
import type { Siblings } from '../../processes/siblings.ts';

type MetricJson = MetricObjectWithValues<MetricValue<string>>[];

const TOPIC = 'metrics';

/** Labels the samples of a worker's registry, and tells the other workers of them; returns what makes the text of all. */
export function joinMetrics(registry: Registry, siblings: Siblings): () => Promise<string> {
  registry.setDefaultLabels({ worker: String(siblings.worker) });
  siblings.onQuestion(TOPIC, async () => JSON.stringify(await registry.getMetricsAsJSON()));
  return async () => {
    const [own, others] = await Promise.all([registry.getMetricsAsJSON(), siblings.ask(TOPIC, '')]);
    const said = others.flatMap(({ content }) => (content === undefined ? [] : [metricsIn(content)]));
    // The label keeps the samples of different workers apart, so that nothing is added up.
    const apart = [own, ...said].map((metrics) =>
      metrics.map((metric) => ({ ...metric, aggregator: 'first' as const })),
    );
    const joined = AggregatorRegistry.aggregate(apart);
    const up = new Gauge({
      name: 'chain_indexer_worker_up',
      help: '1 if the worker process has told its metrics within a second, 0 if it hangs or does not run',
      labelNames: ['worker'],
      registers: [joined],
    });
    up.set({ worker: String(siblings.worker) }, 1);
    for (const { worker, content } of others) up.set({ worker: String(worker) }, content === undefined ? 0 : 1);
    return await joined.metrics();
  };
}

/** What another worker made of its registry. JSON knows no NaN. */
function metricsIn(content: string): MetricJson {
  return JSON.parse(content, (key, value) => (key === 'value' && value === null ? Number.NaN : value));
}
