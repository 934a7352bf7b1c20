/** Asks a web server as many keep-alive clients do, from a process of its own. */
import { HelperProcess } from './helper-process.ts';
import { familyCpuSeconds, usageOf } from './process-usage.ts';
import { Wrk } from './wrk.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The paths, requested in turn over all connections together. */
  readonly paths: readonly string[];
  /** Makes every request's URL another one, whatever the paths are, by a parameter that nobody reads. */
  readonly unique: boolean;
  /** Sent with each request besides `host`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that every answer must have. */
  readonly status: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** All that were given, those before the measuring included. */
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerAnswer: number;
  /** The first answer with another status, and its path; null when all were as they should be. */
  readonly wrong: string | null;
}

export interface MeasuredLoad extends LoadResult {
  /**
   * The load of the load generator's own process (NaN if unknown), 1 for a whole processor. Near 1, the measurement
   * shows the limit of the generator.
   */
  readonly loadCpu: number;
  /** The processor time of a response, in microseconds. On a busy machine it says more than the rate. */
  readonly serverMicroseconds: number;
  /** The processor time of all PostgreSQL processes for a response. */
  readonly postgresMicroseconds: number;
}

/**
 * The load generator: `own`, which every machine has, or `wrk`, which takes less processor time (20 µs per request
 * instead of 27).
 */
export type Generator = 'own' | 'wrk';

/** A process that answers. */
export interface LoadedServer {
  readonly port: number;
  readonly pid: number;
}

export interface Runner {
  run(load: Load): Promise<LoadResult>;
  /** CPU seconds that it used so far; NaN where that is not known. */
  cpuSeconds(): number;
  close(): void;
}

export class LoadGenerator {
  readonly #runner: Runner;
  readonly #postgresCpuSeconds: () => number;

  constructor(generator: Generator, postgresCpuSeconds: () => number) {
    this.#runner = generator === 'wrk' ? new Wrk() : new OwnProcess();
    this.#postgresCpuSeconds = postgresCpuSeconds;
  }

  /** Runs a load against the server with process id `server`. Rejects when it cannot be measured. */
  async measure(load: Load, server: number): Promise<MeasuredLoad> {
    const start = performance.now();
    const before = this.#cpuSeconds(server);
    const result = await this.#runner.run(load);
    const after = this.#cpuSeconds(server);
    const seconds = (performance.now() - start) / 1000;
    const perAnswer = (who: keyof typeof after) => ((after[who] - before[who]) * 1e6) / Math.max(result.answers, 1);
    return {
      ...result,
      loadCpu: (after.load - before.load) / seconds,
      serverMicroseconds: perAnswer('server'),
      postgresMicroseconds: perAnswer('postgres'),
    };
  }

  /** Measures the rate of a server and checks every response; `what` names the load in the error. */
  async rate(what: string, server: LoadedServer, load: Omit<Load, 'port'>): Promise<MeasuredLoad> {
    const result = await this.measure({ ...load, port: server.port }, server.pid);
    if (result.wrong !== null) throw new Error(`${what}: status ${result.wrong}`);
    return result;
  }

  close(): void {
    this.#runner.close();
  }

  /** Returns the processor time used so far, by program; NaN if unknown. */
  #cpuSeconds(server: number) {
    return {
      load: this.#runner.cpuSeconds(),
      server: familyCpuSeconds(server),
      postgres: this.#postgresCpuSeconds(),
    };
  }
}

/** The process of `load-process.ts`. */
class OwnProcess implements Runner {
  readonly #process = new HelperProcess('load-process.ts', 'the load generator');

  run(load: Load): Promise<LoadResult> {
    return this.#process.ask(load);
  }

  cpuSeconds(): number {
    return usageOf(this.#process.pid).cpuSeconds;
  }

  close(): void {
    this.#process.close();
  }
}
