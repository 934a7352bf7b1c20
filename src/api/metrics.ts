/** Numbers about the web server for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface MeasuredState {
  readonly tipHeight: () => number;
  readonly isConnected: () => boolean;
  readonly cacheBytes: () => number;
}

export class Metrics {
  readonly #registry = new Registry();
  /** Counted here and handed over when asked: a request costs an addition, not a look at labels. */
  readonly #answers = new Map<string, Map<number, number>>();

  constructor(state: MeasuredState) {
    collectDefaultMetrics({ register: this.#registry });
    const answers = this.#answers;
    new Counter({
      name: 'chain_indexer_answers_total',
      help: 'Answers by route and status; "cache" are those sent again from memory',
      labelNames: ['route', 'status'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [route, statuses] of answers) {
          for (const [status, count] of statuses) this.inc({ route, status: String(status) }, count);
        }
      },
    });
    this.#gauge('chain_indexer_tip_height_blocks', 'Height of the tip that answers are of', state.tipHeight);
    this.#gauge('chain_indexer_database_connected', '1 when the database can be reached', () =>
      Number(state.isConnected()),
    );
    this.#gauge('chain_indexer_cache_bytes', 'Finished answers kept in memory', state.cacheBytes);
  }

  /** Counts an answer. */
  count(route: string, status: number): void {
    let statuses = this.#answers.get(route);
    if (!statuses) {
      statuses = new Map();
      this.#answers.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  /** The text that Prometheus reads, and its content type. */
  async read(): Promise<{ readonly text: string; readonly contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(value());
      },
    });
  }
}
