/**
 * Runs a program of this project as a child process. It is restarted whenever it ends by itself, and stopped
 * gracefully.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backoff } from '../errors/backoff.ts';
import { EXIT_CONFIGURATION } from '../errors/operator-error.ts';
import { RestartPolicy } from './restart-policy.ts';

/** After which `stop` kills it. */
const STOP_TIMEOUT_MS = 20_000;
/** The longest wait for the last output of a child that has ended. */
const MAX_OUTPUT_MS = 2_000;

interface ChildOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The Node executable and its options; by default those of this process. */
  readonly node?: string;
  readonly nodeArgs?: readonly string[];
  /** The user and group of the process; those of this process if absent. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly cwd?: string | undefined;
  /** Called for each line of its output, and with a line when it ended and will be restarted. */
  readonly onLine: (name: string, line: string) => void;
  /** The pauses before restarts. */
  readonly pauses?: Backoff;
}

export class SupervisedProgram {
  readonly #options: ChildOptions;
  readonly #restarts: RestartPolicy;
  readonly #refused = Promise.withResolvers<number>();
  #process: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#restarts = new RestartPolicy(options.pauses);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Resolves with the exit status if the child cannot work as configured; it is then not restarted. */
  get refused(): Promise<number> {
    return this.#refused.promise;
  }

  start(): void {
    const { name, file, args, env, onLine } = this.#options;
    const { node = process.execPath, nodeArgs = [], user, cwd } = this.#options;
    const startedAt = performance.now();
    const child = spawn(node, [...nodeArgs, file, ...args], {
      env,
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
      ...(cwd === undefined ? {} : { cwd }),
      // Ctrl-C on the terminal must reach only the parent, which stops its children in the right order. A child notices
      // the parent's death because the IPC channel closes.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#process = child;
    // The output is read to its end before the end of the process is reported.
    const read = [child.stdout, child.stderr].map((stream) => readLines(stream, (line) => onLine(name, line)));
    this.#exited = new Promise((resolve) => {
      const ended = async (reason: string, code: number | null) => {
        // A program that the child has started may keep the output open.
        await Promise.race([Promise.all(read), sleep(MAX_OUTPUT_MS, undefined, { ref: false })]);
        this.#process = undefined;
        if (!this.#stopping) this.#onFailure(reason, code, performance.now() - startedAt);
        resolve();
      };
      child.once('error', (error) => void ended(error.message, null));
      child.once('exit', (code, signal) => void ended(signal === null ? `exit status ${code}` : signal, code));
    });
  }

  /** Asks the child to end, and kills it if it does not. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child === undefined) return;
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.#exited;
    clearTimeout(kill);
  }

  #onFailure(reason: string, code: number | null, livedMs: number): void {
    const { name, onLine } = this.#options;
    if (code === EXIT_CONFIGURATION) {
      this.#refused.resolve(code);
      return;
    }
    const pauseMs = this.#restarts.pauseAfter(livedMs);
    onLine(name, `ended (${reason}), starting it again in ${pauseMs / 1000} s`);
    this.#timer = setTimeout(() => this.start(), pauseMs);
  }
}

async function readLines(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  if (stream === null) return;
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') onLine(line);
  }
}
