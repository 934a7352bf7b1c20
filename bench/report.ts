/** Prints the results as tables, and writes them as JSON. */
import { writeFile } from 'node:fs/promises';

/** The head of a column, and what it says of an entry. */
export type Column<T> = readonly [head: string, cell: (entry: T) => string];

export class Report {
  readonly #results: Record<string, unknown> = {};

  /** A line between tables. */
  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** Prints a table: the first column to the left, the others to the right. */
  table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.say(`\n${title}\n`);
    for (const line of tableLines(head, rows)) this.say(`  ${line}`);
  }

  /** Prints a table with a row for each entry. */
  rows<T>(title: string, entries: readonly T[], columns: readonly Column<T>[]): void {
    const rows = entries.map((entry) => columns.map(([, cell]) => cell(entry)));
    const head = columns.map(([text]) => text);
    this.table(title, head, rows);
  }

  /** Keeps a result for the JSON file. */
  keep(name: string, result: unknown): void {
    this.#results[name] = result;
  }

  async write(file: string): Promise<void> {
    await writeFile(file, `${JSON.stringify(this.#results, null, 2)}\n`);
  }
}

/** Aligned lines of a table, its head and a rule first. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, i) => (i === 0 ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)];
}

/** A count or rate: whole, with thousands apart. */
export function count(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
}

export function bytesText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes >= 1e3) return `${(bytes / 1e3).toFixed(1)} kB`;
  return `${Math.round(bytes)} B`;
}

/** 0.634 is `63%`. */
export function ratio(value: number): string {
  return `${Math.round(value * 100)}%`;
}

/** Times, as in `12×`. */
export function times(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}×`;
}

/** Sorts numbers in place. */
export const sorted = (values: number[]) => values.sort((a, b) => a - b);

/** The value of a sorted list below which this part of it is; NaN of none. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Milliseconds with the digits that mean something. */
export function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

export const millisecondsText = (value: number) => `${milliseconds(value)} ms`;
export const perSecond = (value: number) => `${count(value)}/s`;

/** Microseconds, or a dash if they are not known. */
export function microseconds(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(0);
}
