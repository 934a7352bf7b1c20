/** The load of `wrk`, where it is installed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Load, LoadResult, Runner } from './load-generator.ts';

const SCRIPT = fileURLToPath(new URL('./wrk.lua', import.meta.url));

/** The final output of `wrk.lua`. */
interface Summary {
  readonly answers: number;
  /** The bytes, including the heads of the responses. */
  readonly bytes: number;
  readonly microseconds: number;
  /** Microseconds, too. */
  readonly p50: number;
  readonly p99: number;
  /** Answers with a status from 400 on. */
  readonly refused: number;
  readonly broken: number;
}

export class Wrk implements Runner {
  readonly #directory = mkdtempSync(join(tmpdir(), 'chain-indexer-wrk-'));
  readonly #pathsFile = join(this.#directory, 'paths');
  #runs = 0;

  /** Whole seconds, as wrk wants them. Sizes are those of answers with their heads. */
  async run(load: Load): Promise<LoadResult> {
    writeFileSync(this.#pathsFile, load.paths.map((path) => `${path}\n`).join(''));
    const warmUp = load.warmUpSeconds > 0 ? await this.#wrk(load, load.warmUpSeconds) : null;
    const { answers, bytes, microseconds, p50, p99, refused, broken } = await this.#wrk(load, load.seconds);
    if (broken > 0) throw new Error(`${broken} requests to ${load.paths[0]} had no answer`);
    return {
      answers: answers + (warmUp?.answers ?? 0),
      perSecond: (answers * 1e6) / microseconds,
      p50Ms: p50 / 1000,
      p99Ms: p99 / 1000,
      bytesPerAnswer: bytes / Math.max(answers, 1),
      wrong: refused > 0 ? `${refused} refusals` : null,
    };
  }

  /** wrk ends before anybody could look at what it used. */
  cpuSeconds(): number {
    return Number.NaN;
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #wrk({ port, connections, unique, headers = {} }: Load, seconds: number): Promise<Summary> {
    const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const duration = `${Math.max(1, Math.round(seconds))}s`;
    const load = ['-t', '1', '-c', `${connections}`, '-d', duration, ...fields, '-s', SCRIPT];
    const args = [...load, `http://127.0.0.1:${port}`, '--', this.#pathsFile, unique ? `${this.#runs++}` : 'same'];
    const { stdout } = await promisify(execFile)('wrk', args).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('wrk is not installed: install it, or leave --wrk away') : error;
    });
    return JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Summary;
  }
}
