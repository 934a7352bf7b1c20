/**
 * The number and duration of responses by route and status. They are plain numbers that are converted when metrics are
 * read: a response costs a few additions, no label lookup.
 */

/** A row of a metric as Prometheus has it. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** Upper bounds in milliseconds: from the cache, from PostgreSQL's memory, from its disks, slow, too slow. */
const BOUNDS_MS = [1, 5, 25, 100, 500, 2_500] as const;

interface Durations {
  sumMs: number;
  /** One for each bound, and one for what took longer. */
  readonly counts: number[];
}

interface Counted {
  count: number;
  /** Those of all answers of the route with such a status. */
  readonly durations: Durations;
}

interface Route {
  readonly byStatus: Map<number, Counted>;
  readonly byClass: Map<string, Durations>;
}

export class RequestCounts {
  readonly #routes = new Map<string, Route>();
  #underWay = 0;

  /** Answers that have begun and not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Returns what {@link end} needs when the response is made: the time in milliseconds. */
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

  /** The samples of a counter. */
  totals(): MetricSample[] {
    return [...this.#routes].flatMap(([route, { byStatus }]) =>
      [...byStatus].map(([status, { count }]) => ({ labels: { route, status: String(status) }, value: count })),
    );
  }

  /** The samples of the histogram of this name. */
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

/** In seconds, each bucket with what is in those below it. */
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
