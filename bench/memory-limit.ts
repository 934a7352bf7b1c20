/** A memory limit for programs, their page cache included: a cgroup without swap. Also what each program takes of it. */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { divideMemory } from '../src/config/process-limits.ts';
import { familyMemory, familyOf } from './process-usage.ts';

const SAMPLE_MS = 500;
const MIB = 1024 * 1024;
/** The files of a cgroup, in version 1 and in version 2: the limit, that with swap, the use, the kills. */
const FILES_1 = ['limit_in_bytes', 'memsw.limit_in_bytes', 'usage_in_bytes', 'oom_control'] as const;
const FILES_2 = ['max', 'swap.max', 'current', 'events'] as const;

export class MemoryLimit {
  readonly megabytes: number;
  /** Every half second: the megabytes of each program with its children, and of the cgroup as `all`. */
  readonly samples: Readonly<Record<string, number>>[] = [];
  /** Undefined: this machine lets us make no cgroup, and nothing binds. */
  readonly #directory: string | undefined;
  #files: readonly [string, string, string, string] = FILES_1;
  readonly #pids = new Map<string, number>();
  readonly #timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();

  constructor(megabytes: number) {
    this.megabytes = megabytes;
    this.#directory = this.#makeGroup(megabytes * MIB);
  }

  /** As `npm start` divides it. */
  get shares() {
    return divideMemory(this.megabytes * MIB, 1);
  }

  add(name: string, pid: number): void {
    this.#pids.set(name, pid);
    if (this.#directory === undefined) return;
    for (const each of familyOf(pid)) {
      try {
        writeFileSync(`${this.#directory}/cgroup.procs`, `${each}`);
      } catch {
        // It has ended.
      }
    }
  }

  /** A line about the limit, the peaks and the kills. */
  describe(): string {
    const names = [...this.#pids.keys(), 'all'];
    const peaks = names.map((name) => `${name} ${Math.max(...this.samples.map((sample) => sample[name] ?? 0))} MB`);
    const kills = /oom_kill (\d+)/.exec(this.#read(3))?.[1];
    const bound = kills === undefined ? 'no cgroup can be made: nothing bound' : `a cgroup bound, ${kills} were killed`;
    return `  memory ${this.megabytes} MB (${bound}): at most ${peaks.join(', ')}`;
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#directory) rmdirSync(this.#directory);
  }

  #sample(): void {
    const used = [...this.#pids].map(([name, pid]) => [name, familyMemory(pid)] as const);
    const all = [...used, ['all', Number(this.#read(2))]] as const;
    this.samples.push(Object.fromEntries(all.map(([name, bytes]) => [name, Math.round(bytes / MIB)])));
  }

  #read(file: number): string {
    return this.#directory === undefined ? '' : readFileSync(`${this.#directory}/memory.${this.#files[file]}`, 'utf8');
  }

  #makeGroup(bytes: number): string | undefined {
    try {
      const own = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
      if (own === undefined) this.#files = FILES_2;
      const parent = own === undefined ? '' : `/memory${own}`;
      const directory = `/sys/fs/cgroup${parent}/chain-indexer-bench-${process.pid}`;
      mkdirSync(directory);
      writeFileSync(`${directory}/memory.${this.#files[0]}`, `${bytes}`);
      writeFileSync(`${directory}/memory.${this.#files[1]}`, own === undefined ? '0' : `${bytes}`);
      return directory;
    } catch {
      return undefined;
    }
  }
}
