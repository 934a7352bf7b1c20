/** A program of ours in a process of its own, as in production: its lines, its end, what it takes of the machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Usage, usageOf } from './process-usage.ts';

const STOP_TIMEOUT_MS = 20_000;
const LINES_KEPT = 20;

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The checkout with the program; this one by default. */
  readonly checkout?: string | undefined;
  /** The directory for a CPU profile, which is written when the program ends. */
  readonly profileDir?: string | undefined;
}

export class Program {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();
  readonly #ended: Promise<string>;
  #isStopping = false;

  /** Starts `bin/<name>.ts`, or the program of that name that is here. */
  constructor(name: string, options: ProgramOptions = {}) {
    this.name = name;
    const own = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    const checkout = options.checkout ?? fileURLToPath(new URL('..', import.meta.url));
    const file = existsSync(own) ? own : join(checkout, 'bin', `${name}.ts`);
    const profile = options.profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`];
    this.#child = spawn(process.execPath, [...profile, file, ...(options.args ?? [])], {
      env: { ...process.env, ...options.env },
      // The channel tells the program when the bench is gone; Ctrl-C is for the bench alone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => this.#onLine(line));
    }
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('close', (code, signal) => resolve(signal ?? `exit status ${code}`));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  usage(): Usage {
    return usageOf(this.pid);
  }

  /** The first line for which `find` gives something. Rejects when the program ends before. */
  line<T>(find: (line: string) => T | undefined): Promise<T> {
    return this.orEnd(
      new Promise<T>((resolve) => {
        const look = (line: string) => {
          const found = find(line);
          if (found === undefined) return;
          this.#listeners.delete(look);
          resolve(found);
        };
        this.#listeners.add(look);
        for (const line of this.#lines) look(line);
      }),
    );
  }

  /** Returns the result of `work`; rejects if the program ends before that. */
  orEnd<T>(work: Promise<T>): Promise<T> {
    const failure = this.#ended.then((reason): Promise<never> => {
      if (this.#isStopping) return new Promise(() => {});
      throw new Error(`the ${this.name} ended too early (${reason}):\n${this.#lines.join('\n')}`);
    });
    return Promise.race([work, failure]);
  }

  /** Resolves when the program has ended by itself; rejects if that was with another status than 0. */
  async succeeds(): Promise<void> {
    const reason = await this.#ended;
    if (reason !== 'exit status 0') throw new Error(`${this.name}: ${reason}:\n${this.#lines.join('\n')}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#isStopping = true;
    this.#child.kill(signal);
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(kill);
  }

  #onLine(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
    for (const listener of this.#listeners) listener(line);
  }
}
