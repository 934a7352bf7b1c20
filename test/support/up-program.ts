/** `up` as a user runs it, and what runs below it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '../../bench/process-usage.ts';
import { eventually } from './until.ts';

const program = fileURLToPath(new URL('../../bin/up.ts', import.meta.url));
export const UP_PATIENCE = { withinMs: 120_000, pauseMs: 25 };

export class Up {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  output = '';

  /**
   * `file`: its program, of another copy of the project; `within`: a command that runs the rest of its arguments; `env`: more
   * variables.
   */
  constructor(args: readonly string[], { file = program, within = [] as readonly string[], env = {} } = {}) {
    const [command, ...rest] = [...within, process.execPath, file, ...args];
    this.#child = spawn(command!, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    this.#closed = once(this.#child, 'close');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined && this.#child.exitCode === null) this.#child.kill(signal);
    await this.#closed;
    return this.#child.exitCode;
  }

  /** Waits for the first match in its output. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(`${pattern} in the output`, () => pattern.exec(this.output) ?? undefined, {
      ...UP_PATIENCE,
      explain: () => this.output,
    });
  }
}

/** The URLs that it says to try are one of each kind, and answer at once. */
export async function assertUrlsAnswer(up: Up, base: string): Promise<void> {
  const { index } = await up.says(/the next start goes on from the data in/);
  const urls = up.output.slice(0, index).match(/(?<=curl (?:-N )?)http\S+/g) ?? [];
  const answers = await Promise.all(
    urls.map(async (url) => {
      const answer = await fetch(url);
      await answer.body?.cancel();
      return `${url.slice(base.length).split('/')[3]} ${answer.status}`;
    }),
  );
  assert.deepEqual(answers, ['chain 200', 'block 200', 'transaction 200', 'address 200', 'stream 200'], up.output);
}

export interface RunningProcess {
  readonly pid: number;
  readonly uid: number;
  readonly command: string;
  /** The environment, as `NAME=value`. */
  readonly environment: readonly string[];
}

/** A process and all below it, as Linux tells them. */
export async function processesBelow(pid: number): Promise<RunningProcess[]> {
  const text = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const { uid } = await stat(`/proc/${pid}`).catch(() => ({ uid: -1 }));
  const command = (await text('cmdline')).replaceAll('\0', ' ');
  const environment = (await text('environ')).split('\0').filter(Boolean);
  const children = await Promise.all(childrenOf(pid).map(processesBelow));
  return [{ pid, uid, command, environment }, ...children.flat()];
}
