/** How much memory each process has over time, and whether it stays flat. */
import { familyMemory, residentBytes } from '../../bench/process-usage.ts';
import type { Stack } from '../faults/stack.ts';

const LOOK_MS = 1_000;
const MEGABYTE = 1_000_000;
/** What a median may rise by: the larger of these. */
const MAX_RISE = 0.1;
const MAX_RISE_MEGABYTES = 20;

export const FLATNESS = `Memory is flat if the median of the last third is at most ${MAX_RISE * 100} % or ${MAX_RISE_MEGABYTES} MB, whichever is more, above the
median of the second third.`;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Looks at the processes of a stack each second. */
export class MemoryWatch {
  readonly #stack: Stack;
  /** By process: megabytes, one after the other. */
  readonly #seen = new Map<string, number[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(stack: Stack) {
    this.#stack = stack;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  #look(): void {
    const [scanner] = this.#stack.pids('scanner');
    const [server, ...workers] = this.#stack.pids('web-server');
    this.#note('scanner', residentBytes(scanner!));
    this.#note('web server', residentBytes(server!));
    for (const [place, worker] of workers.entries()) this.#note(`worker ${place + 1}`, residentBytes(worker));
    this.#note('PostgreSQL', familyMemory(this.#stack.postgres.pid));
  }

  #note(name: string, bytes: number): void {
    const megabytes = this.#seen.get(name) ?? [];
    megabytes.push(bytes / MEGABYTE);
    this.#seen.set(name, megabytes);
  }

  /** The medians of the last `seconds`. */
  recent(seconds: number): string {
    const ofProcess = ([name, seen]: [string, number[]]) => `${name} ${median(seen.slice(-seconds)).toFixed(0)}`;
    return `${[...this.#seen].map(ofProcess).join(', ')} MB`;
  }

  /** Ends the watch; gives the medians of the thirds, and which processes grew. */
  end(): { readonly figures: string[]; readonly problems: string[] } {
    clearInterval(this.#timer);
    const thirds = [...this.#seen].map(([name, seen]) => {
      const third = Math.floor(seen.length / 3);
      const medians = [0, 1, 2].map((n) => median(seen.slice(n * third, (n + 1) * third)));
      return { name, medians, text: medians.map((each) => each.toFixed(0)).join(', then ') };
    });
    // Not a number is no proof.
    const isFlat = ([, second, last]: readonly number[]) =>
      last! <= second! + Math.max(second! * MAX_RISE, MAX_RISE_MEGABYTES);
    const grown = thirds.filter(({ medians }) => !isFlat(medians));
    return {
      figures: thirds.map(({ name, text }) => `${name}: ${text} MB`),
      problems: grown.map(({ name, text }) => `the memory of the ${name} grows: ${text} MB`),
    };
  }
}
