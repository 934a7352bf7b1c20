/** A client that behaves: it asks one thing after the other and remembers how long each answer took. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 5_000;
const PAUSE_MS = 5;

export interface ProbeResult {
  readonly answers: number;
  /** Without an answer in five seconds, or with another status than 200. */
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export class Probe {
  readonly #port: number;
  readonly #next: () => string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #latencies: number[] = [];
  #failures = 0;
  #isStopped = false;
  readonly #done: Promise<void>;

  /** `next` gives the path of each request. */
  constructor(port: number, next: () => string) {
    this.#port = port;
    this.#next = next;
    this.#done = this.#run();
  }

  /** What was seen since the last time, or the start. */
  take(): ProbeResult {
    const sorted = this.#latencies.sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
    const result = { answers: sorted.length, failures: this.#failures, p50Ms: at(0.5), p99Ms: at(0.99) };
    this.#latencies = [];
    this.#failures = 0;
    return result;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const since = performance.now();
      const status = await this.#ask(this.#next());
      this.#latencies.push(performance.now() - since);
      if (status !== 200) this.#failures++;
      await sleep(PAUSE_MS);
    }
  }

  #ask(path: string): Promise<number> {
    return new Promise((resolve) => {
      const asking = request({ host: '127.0.0.1', port: this.#port, path, agent: this.#agent, timeout: TIMEOUT_MS });
      asking.on('response', (response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode ?? 0));
      });
      asking.on('timeout', () => asking.destroy());
      asking.on('error', () => resolve(0));
      asking.end();
    });
  }
}
