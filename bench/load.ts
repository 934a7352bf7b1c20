/** Asks a web server as many keep-alive clients do, from a process of its own. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './next-message.ts';
import { familyCpuSeconds, usageOf } from './usage.ts';
import { Wrk } from './wrk.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Asked in turn, over all connections together. */
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
  /** How busy the load's own process was, 1 for a whole processor: near 1 it is the load that was measured. */
  readonly loadCpu: number | null;
  /** Processor time for one answer, in microseconds: it tells more than the rate where the machine has other work. */
  readonly serverMicroseconds: number | null;
  /** The same of PostgreSQL, all of its processes. */
  readonly postgresMicroseconds: number | null;
}

/** CPU seconds that were used so far, by whom; null where the system does not say. */
interface CpuSeconds {
  readonly load: number | null;
  readonly server: number | null;
  readonly postgres: number | null;
}

/** What asks: `own`, which every machine has, or `wrk`, which takes less processor time (20 µs a request against 27). */
export type Generator = 'own' | 'wrk';

export interface Runner {
  run(load: Load): Promise<LoadResult>;
  /** What it took of the processors so far; null where that is not known. */
  cpuSeconds(): number | null;
  close(): void;
}

export class LoadGenerator {
  readonly #runner: Runner;
  readonly #postgresCpuSeconds: () => number | null;

  constructor(generator: Generator, postgresCpuSeconds: () => number | null) {
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
    const spent = (who: keyof CpuSeconds) =>
      before[who] === null || after[who] === null ? null : after[who] - before[who];
    const perAnswer = (who: keyof CpuSeconds) => {
      const all = spent(who);
      return all === null ? null : (all * 1e6) / Math.max(result.answers, 1);
    };
    const loadSeconds = spent('load');
    return {
      ...result,
      loadCpu: loadSeconds === null ? null : loadSeconds / seconds,
      serverMicroseconds: perAnswer('server'),
      postgresMicroseconds: perAnswer('postgres'),
    };
  }

  close(): void {
    this.#runner.close();
  }

  #cpuSeconds(server: number): CpuSeconds {
    return {
      load: this.#runner.cpuSeconds(),
      server: familyCpuSeconds(server),
      postgres: this.#postgresCpuSeconds(),
    };
  }
}

/** The process of `load-process.ts`. */
class OwnProcess implements Runner {
  readonly #child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)), { serialization: 'advanced' });

  async run(load: Load): Promise<LoadResult> {
    this.#child.send(load);
    const answer = (await nextMessage(this.#child, 'the load generator')) as LoadResult | { failure: string };
    if ('failure' in answer) throw new Error(answer.failure);
    return answer;
  }

  cpuSeconds(): number | null {
    return usageOf(this.#child.pid ?? 0)?.cpuSeconds ?? null;
  }

  close(): void {
    this.#child.kill();
  }
}
