/** How much memory each process has over time, and whether it stays flat. */
import { familyMemory, residentBytes } from '../../bench/process-usage.ts';
import type { Stack } from '../faults/stack.ts';

const LOOK_MS = 1_000;
const MEGABYTE = 1_000_000;
/** What a median may rise by: the larger of these. */
const MAX_RISE = 0.1;
const MAX_RISE_MEGABYTES = 20;

export const FLATNESS = `Memory is flat if the median of the last third is at most ${MAX_RISE * 100} % or ${MAX_RISE_MEGABYTES} MB, whichever is more, above the
median of the second third. The first third does not count.`;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Looks at the processes of a stack each second. */
export class MemoryWatch {
  /** By process: megabytes, one after the other. */
  readonly #seen = new Map<string, number[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(stack: Stack) {
    const note = (name: string, bytes: number) =>
      this.#seen.set(name, [...(this.#seen.get(name) ?? []), bytes / MEGABYTE]);
    this.#timer = setInterval(() => {
      for (const pid of stack.pids('scanner')) note('scanner', residentBytes(pid));
      for (const [place, pid] of stack.pids('web-server').entries()) {
        note(place === 0 ? 'web server' : `worker ${place}`, residentBytes(pid));
      }
      note('PostgreSQL', familyMemory(stack.postgres.pid));
    }, LOOK_MS);
  }

  /** The medians of the last `seconds`. */
  recent(seconds: number): string {
    const medians = [...this.#seen].map(([name, seen]) => `${name} ${median(seen.slice(-seconds)).toFixed()}`);
    return `${medians.join(', ')} MB`;
  }

  /** Ends the watch; gives the medians of the thirds, and which processes grew. */
  end(): { readonly figures: string[]; readonly problems: string[] } {
    clearInterval(this.#timer);
    const figures: string[] = [];
    const problems: string[] = [];
    for (const [name, seen] of this.#seen) {
      const thirds = [0, 1, 2].map((n) => median(seen.slice((n * seen.length) / 3, ((n + 1) * seen.length) / 3)));
      const text = `${name}: ${thirds.map((each) => each.toFixed()).join(', then ')} MB`;
      const [, second = Number.NaN, last = Number.NaN] = thirds;
      // What is not a number is not flat.
      const isFlat = last - second <= Math.max(second * MAX_RISE, MAX_RISE_MEGABYTES);
      figures.push(text);
      if (!isFlat) problems.push(`the memory grows: ${text}`);
    }
    return { figures, problems };
  }
}
