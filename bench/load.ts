/** Asks a web server as many keep-alive clients do, from a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { usageOf } from './usage.ts';

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
  /** The same of the server. */
  readonly serverCpu: number | null;
}

export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)), { serialization: 'advanced' });
  }

  /** Runs a load against the server with process id `server`. Rejects when it cannot be measured. */
  async measure(load: Load, server: number): Promise<MeasuredLoad> {
    const start = performance.now();
    const before = [usageOf(this.#child.pid!), usageOf(server)];
    const answer = await new Promise<LoadResult | { failure: string }>((resolve, reject) => {
      const onExit = () => reject(new Error('the load generator ended'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (message) => {
        this.#child.off('exit', onExit);
        resolve(message as LoadResult);
      });
      this.#child.send(load);
    });
    const after = [usageOf(this.#child.pid!), usageOf(server)];
    if ('failure' in answer) throw new Error(answer.failure);
    const seconds = (performance.now() - start) / 1000;
    const [loadCpu, serverCpu] = before.map((usage, i) =>
      usage && after[i] ? (after[i].cpuSeconds - usage.cpuSeconds) / seconds : null,
    );
    return { ...answer, loadCpu: loadCpu ?? null, serverCpu: serverCpu ?? null };
  }

  close(): void {
    this.#child.kill();
  }
}
