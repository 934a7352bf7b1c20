/** Metrics of the web server for Prometheus. The help texts are their documentation. */
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { buildLabels } from '../../config/this-build.ts';
import {
  addBuildInfo,
  addCollectedMetric,
  type Figure,
  type MetricSample,
  processMetricsRegistry,
  samplesByLabelValue,
} from '../../monitoring/process-registry.ts';
import type { NodeError } from '../../node/node-error.ts';
import type { SiblingWorkers } from '../../processes/sibling-workers.ts';
import { STORAGE_VERSION } from '../../store/schema/database-identity.ts';
import type { WebServerResources } from '../resources/create-resources.ts';
import { HOLDING_RESOURCES, type ResourceName, SLOT_RESOURCES } from '../resources/shared-resources.ts';

/** The state of the node in use. */
export interface NodeReport {
  readonly address: string;
  /** Is its main chain that of the index, up to the lower one of both tips? Null if it cannot be asked. */
  readonly onOurChain: boolean | null;
  /** Null while it cannot be used. */
  readonly height: number | null;
  /** What the index lacks of it; null while that is unknown, and if it is below the index. */
  readonly lagBlocks: number | null;
  /** Null before its first answer. */
  readonly answerAgeSeconds: number | null;
  /** Why it cannot be used. */
  readonly problem: NodeError | null;
}

const PREFIX = 'chain_indexer_';
/** The metrics without their prefix, and what each one says. `src/api/app.ts` adds most of their figures. */
export const METRIC_HELP = {
  responses_total: 'Responses by route and status; "cache" for those from the cache',
  response_duration_seconds:
    'Time from the start of a request to its prepared response, by route ("cache" for cached ones) and status class',
  requests_in_flight: 'Requests in progress; most of them wait for the database or for a connection to it',
  connections_late_total: 'Connections closed because their clients took responses too slowly',
  connections_fragmented_total: 'Connections closed because a request body came in too many tiny pieces',
  resource_limit: 'What clients share of a resource',
  resource_used: 'What clients have of a resource',
  resource_waiting: 'Requests that wait for a resource',
  resource_refusals_total:
    'Refusals of a resource: "over_share" (429), "busy" (503), "taken_back" from the client with most of it',
  tip_height_blocks: 'Height of the tip that responses are of',
  tip_timestamp_seconds:
    'Unix time of the tip, 0 without one; time() minus this grows if the scanner, the node or a replica falls behind',
  tip_unconfirmed_seconds: 'Seconds since the database last confirmed the tip, which is polled many times per second',
  ready:
    '1 if /ready returns 200: the index is complete, the database confirms its tip and is not further behind than --max-lag',
  database_in_use:
    '1 for the database server that is read from, with its role (primary or replica) and the timeline of a primary',
  replica_lag_seconds: 'Seconds that a replica is behind its primary; absent on a primary',
  database_connected: '1 if the database is reachable and confirms the tip',
  node_in_use: '1 for the node that is asked and whose mempool is followed, 0 for the others of --node-rpc-address',
  node_problem:
    '1 for each node that cannot be used, with the reason: timeout (silent), unreachable, unauthorized, other network, malformed',
  node_reachable: '1 if the node in use can be used',
  node_on_our_chain: '1 if its main chain has our tip, or is lower and has our blocks; absent while it is away',
  node_height_blocks: 'Height of its tip; absent while it cannot be used',
  node_answer_age_seconds: 'Seconds since its last answer that could be used',
  mempool_complete: '1 if all pending transactions of the node are known, and it has our tip',
  mempool_transactions:
    'Pending transactions that are known; absent while the node cannot be followed, or lacks our tip',
  submissions_total: 'Transactions handed to the node: "taken", "refused" by it, or "failed" because it was away',
  cache_bytes: 'Bytes of cached responses',
  streams_open: 'Event streams that are open at the moment',
  streams_refused_total: 'Event streams refused because there were too many, in total or of one client',
  streams_timed_out_total: 'Event streams closed because their clients took nothing for two minutes',
  streams_resumed_total: 'Event streams that were resumed',
  stream_replayed_events_total: 'Blocks and reorganisations that were replayed to resumed streams',
  stream_lag_events_total: 'Lag events sent to clients that read too slowly',
  stream_lost_events_total: 'Events that clients lost because they read too slowly',
};

/** What each metric is at the moment, by its name in {@link METRIC_HELP}. */
type Figures = Readonly<Partial<Record<keyof typeof METRIC_HELP, () => Figure | Promise<Figure>>>>;

const RESOURCES: readonly ResourceName[] = [...SLOT_RESOURCES, ...HOLDING_RESOURCES];
/** The text is made at most once in this time, however many requests come. */
const MADE_ANEW_AFTER_MS = 1_000;

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestCounts();
  readonly #submissions = { taken: 0, refused: 0, failed: 0 };
  readonly #text: () => Promise<string>;
  #made: { readonly text: Promise<string>; readonly at: number } | null = null;

  /** With `siblings`, the text has the metrics of all workers, labelled `worker`. */
  constructor(siblings?: SiblingWorkers) {
    this.#text = siblings ? joinMetrics(this.#registry, siblings) : () => this.#registry.metrics();
    const ofProcess = processMetricsRegistry();
    for (const { name } of ofProcess.getMetricsAsArray())
      this.#registry.registerMetric(ofProcess.getSingleMetric(name)!);
    const requests = this.#requests;
    addBuildInfo(this.#registry, `${PREFIX}build_info`, buildLabels(STORAGE_VERSION));
    this.add({
      responses_total: () => requests.totals(),
      response_duration_seconds: () => requests.durations(`${PREFIX}response_duration_seconds`),
      requests_in_flight: () => requests.underWay,
      submissions_total: () => samplesByLabelValue('outcome', this.#submissions),
    });
  }

  /** Adds metrics that are counted elsewhere. */
  add(figures: Figures): void {
    for (const [name, figure] of Object.entries(figures))
      addCollectedMetric(this.#registry, PREFIX + name, METRIC_HELP[name as keyof typeof METRIC_HELP], figure);
  }

  /** Counts a transaction that was handed to the node. */
  submitted(outcome: 'taken' | 'refused' | 'failed'): void {
    this.#submissions[outcome]++;
  }

  /** Adds the metrics of event streams. */
  addStreams(counts: StreamCounts): void {
    this.add({
      streams_open: () => counts.open,
      streams_refused_total: () => counts.refused,
      streams_timed_out_total: () => counts.cut,
      streams_resumed_total: () => counts.resumed,
      stream_replayed_events_total: () => counts.replayedEvents,
      stream_lag_events_total: () => counts.lagged,
      stream_lost_events_total: () => counts.lostEvents,
    });
  }

  /** Counts a request as in progress. Returns the argument `began` of {@link end}. */
  begin(now = performance.now()): number {
    return this.#requests.begin(now);
  }

  /** Counts a response. */
  end(route: string, status: number, began: number): void {
    this.#requests.end(route, status, began);
  }

  /** Returns the text for Prometheus, at most a second old, and its content type. */
  async read(): Promise<{ readonly text: string; readonly contentType: string }> {
    const now = performance.now();
    if (this.#made === null || now - this.#made.at >= MADE_ANEW_AFTER_MS) this.#made = { text: this.#text(), at: now };
    return { text: await this.#made.text, contentType: this.#registry.contentType };
  }
}

/** The figures of what clients share (docs/operation.md#shared-resources). */
export function resourceFigures(resources: WebServerResources): Figures {
  const ofAll = (value: (name: ResourceName) => number) =>
    samplesByLabelValue('resource', Object.fromEntries(RESOURCES.map((name) => [name, value(name)])));
  return {
    resource_limit: () => ofAll((name) => resources.totals[name]),
    resource_used: () => ofAll((name) => resources[name].used),
    resource_waiting: () =>
      SLOT_RESOURCES.map((resource) => ({ labels: { resource }, value: resources[resource].waiting })),
    resource_refusals_total: () =>
      [...resources.refusals].flatMap(([resource, counts]) =>
        [...counts].map(([outcome, value]) => ({ labels: { resource, outcome }, value })),
      ),
  };
}

/** The figures of the node in use; none without a node. */
export function nodeFigures(report: () => Promise<NodeReport | null>): Figures {
  const ofNode = (figure: (node: NodeReport) => number | boolean | null) => async () => {
    const node = await report();
    const value = node && figure(node);
    return value === null ? null : samplesByLabelValue('node', { [node!.address]: Number(value) });
  };
  return {
    node_reachable: ofNode(({ problem }) => problem === null),
    node_on_our_chain: ofNode(({ onOurChain }) => onOurChain),
    node_height_blocks: ofNode(({ height }) => height),
    node_answer_age_seconds: ofNode(({ answerAgeSeconds }) => answerAgeSeconds),
  };
}

/** Upper bounds in milliseconds: from the cache, from PostgreSQL's memory, from its disks, slow, too slow. */
const BOUNDS_MS = [1, 5, 25, 100, 500, 2_500] as const;

interface Durations {
  sumMs: number;
  /** A count for each bound, and one for longer durations. */
  readonly counts: number[];
}

interface Counted {
  count: number;
  /** The durations of all responses of the route whose status has the same first digit. */
  readonly durations: Durations;
}

interface Route {
  readonly byStatus: Map<number, Counted>;
  readonly byClass: Map<string, Durations>;
}

/**
 * Counts responses and their durations by route and status. These are plain numbers, converted when metrics are read: a
 * response costs a few additions, and no label lookup.
 */
class RequestCounts {
  readonly #routes = new Map<string, Route>();
  #underWay = 0;

  /** The number of responses that have begun and not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Returns the argument `began` of {@link end}: the time in milliseconds. */
  begin(now = performance.now()): number {
    this.#underWay++;
    return now;
  }

  end(route: string, status: number, began: number): void {
    this.#underWay--;
    const counted = this.#routes.get(route)?.byStatus.get(status) ?? this.#add(route, status);
    counted.count++;
    const ms = performance.now() - began;
    const { durations } = counted;
    durations.sumMs += ms;
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]!) bucket++;
    durations.counts[bucket]!++;
  }

  /** Returns the samples of a counter. */
  totals(): MetricSample[] {
    return [...this.#routes].flatMap(([route, { byStatus }]) =>
      [...byStatus].map(([status, { count }]) => ({ labels: { route, status: String(status) }, value: count })),
    );
  }

  /** Returns the samples of the histogram with this name. */
  durations(name: string): MetricSample[] {
    return [...this.#routes].flatMap(([route, { byClass }]) =>
      [...byClass].flatMap(([status_class, durations]) => histogram(name, { route, status_class }, durations)),
    );
  }

  #add(name: string, status: number): Counted {
    const route = this.#routes.get(name) ?? { byStatus: new Map(), byClass: new Map() };
    this.#routes.set(name, route);
    const statusClass = `${Math.floor(status / 100)}xx`;
    const durations = route.byClass.get(statusClass) ?? { sumMs: 0, counts: [...BOUNDS_MS, 0].fill(0) };
    route.byClass.set(statusClass, durations);
    const counted = { count: 0, durations };
    route.byStatus.set(status, counted);
    return counted;
  }
}

/** Returns the samples of a histogram, in seconds. Each bucket includes those below it. */
function histogram(name: string, labels: MetricSample['labels'], { sumMs, counts }: Durations): MetricSample[] {
  let count = 0;
  const buckets = counts.map((more, i) => {
    count += more;
    const bound = BOUNDS_MS[i];
    const le = bound === undefined ? '+Inf' : bound / 1_000;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** The counts of the streams of a process, for the metrics. */
export class StreamCounts {
  /** Open streams, including those in a replay. */
  open = 0;
  /** Streams refused because there were too many. */
  refused = 0;
  /** Lag events sent because a client read too slowly. */
  lagged = 0;
  /** Events that those clients lost, at most. */
  lostEvents = 0;
  /** Streams that the server closed because the client read nothing for minutes. */
  cut = 0;
  /** Clients that resumed. */
  resumed = 0;
  /** Blocks and reorganisations that were replayed to them. */
  replayedEvents = 0;
}

type MetricJson = MetricObjectWithValues<MetricValue<string>>[];

const TOPIC = 'metrics';

/**
 * Labels the samples of a worker's registry, and sends them to the other workers. Returns the function that makes the
 * text of all.
 */
export function joinMetrics(registry: Registry, siblings: SiblingWorkers): () => Promise<string> {
  registry.setDefaultLabels({ worker: String(siblings.worker) });
  siblings.onQuestion(TOPIC, async () => JSON.stringify(await registry.getMetricsAsJSON()));
  return async () => {
    const [own, others] = await Promise.all([registry.getMetricsAsJSON(), siblings.ask(TOPIC, '')]);
    const said = others.flatMap(({ content }) => (content === undefined ? [] : [metricsIn(content)]));
    // The label keeps the samples of workers apart, so the registry does not add them up.
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

/** Parses the registry of another worker. JSON has no NaN. */
function metricsIn(content: string): MetricJson {
  return JSON.parse(content, (key, value) => (key === 'value' && value === null ? Number.NaN : value));
}
