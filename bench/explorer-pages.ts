/**
 * Measures the explorer's pages: cached ones against a bare server that sends the same bytes, uncached ones, the time of a
 * single one, and their sizes.
 */
import { gzipSync } from 'node:zlib';
import { ask, onServers, type ReadOptions, type Servers, USUAL } from './endpoint-throughput.ts';
import { type MeasuredPage, measuredPages, pageName } from './explorer-page-paths.ts';
import type { MeasuredLoad } from './load-generator.ts';
import {
  bytesText,
  count,
  microseconds,
  milliseconds,
  millisecondsText,
  perSecond,
  type Report,
  ratio,
} from './report.ts';
import { reportTargets, type Target, target } from './report-targets.ts';
import type { Bed } from './test-bed.ts';

/** The marks of issue 21. */
const MARKS = { hotOfBare: 0.9, medianMs: 10, pageBytes: 40_000, scriptBytes: 15_000 } as const;
/** The request headers of browsers. */
const HEADERS = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** The number of pages of a kind, of which the largest is reported. */
const SIZED = 50;
/** Measured ones before that: code gets warm, as in a server that runs. */
const WARM_UP = 0.3;
/** Each page has code of its own, which a server that runs has compiled long ago. */
const COLD_WARM_UP_SECONDS = 3;
/** The server and its limit are measured in turns, and the pair with the middle ratio counts: the pace of a machine swings. */
const TURNS = 5;

export interface PageResult {
  readonly name: string;
  readonly leastCold: number | null;
  readonly bare: MeasuredLoad;
  readonly hot: MeasuredLoad;
  readonly cold: MeasuredLoad;
  /** Cold, by one client that waits for each page. */
  readonly alone: MeasuredLoad;
  /** The largest of some, compressed, without the style. */
  readonly gzipBytes: number;
}

export type PagesResult = Awaited<ReturnType<typeof measurePages>>;

/** Loads one web server that remembers pages and one that does not, page by page. */
export async function measurePages(bed: Bed, options: ReadOptions<PageResult>) {
  const { seconds, only, onResult } = options;
  // The whole chain: pages look at what is pending on top of it.
  return onServers(bed, options, [], async (servers) => {
    const files = await fileSizes(servers.server.port);
    const pages: PageResult[] = [];
    for (const page of measuredPages(servers.samples).filter((each) => pageName(each).includes(only))) {
      const result = await measurePage(page, servers, seconds);
      onResult(result);
      pages.push(result);
    }
    return { pages, ...files };
  });
}

async function measurePage(
  page: MeasuredPage,
  { bare, load, server, uncached }: Servers,
  seconds: number,
): Promise<PageResult> {
  const name = pageName(page);
  const answer = await ask(server.port, page.hot, HEADERS);
  if (answer.status !== 200) throw new Error(`${name}: status ${answer.status} for ${page.hot}`);
  const common = { headers: HEADERS, status: 200, seconds, warmUpSeconds: seconds * WARM_UP };
  const hot = { ...common, paths: [page.hot], connections: USUAL, unique: false };
  const cold = { ...common, paths: page.cold, connections: USUAL, unique: true };
  await bare.use(answer);
  const turns: Pick<PageResult, 'bare' | 'hot'>[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push({ bare: await load.rate(name, bare, hot), hot: await load.rate(name, server, hot) });
  }
  turns.sort((one, other) => hotOfBare(one) - hotOfBare(other));
  return {
    name,
    leastCold: page.leastCold ?? null,
    ...turns[Math.floor(TURNS / 2)]!,
    cold: await load.rate(name, uncached, { ...cold, warmUpSeconds: COLD_WARM_UP_SECONDS }),
    alone: await load.rate(name, uncached, { ...cold, connections: 1 }),
    gzipBytes: await largestPage(server.port, [page.hot, ...page.cold.slice(0, SIZED)]),
  };
}

function hotOfBare({ hot, bare }: Pick<PageResult, 'bare' | 'hot'>): number {
  return hot.perSecond / bare.perSecond;
}

async function largestPage(port: number, paths: readonly string[]): Promise<number> {
  let largest = 0;
  for (const path of new Set(paths)) largest = Math.max(largest, await gzipBytes(port, path, HEADERS));
  return largest;
}

async function gzipBytes(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { body } = await ask(port, path, { ...headers, 'accept-encoding': 'gzip' });
  // What is short is sent as it is.
  return typeof body === 'string' ? gzipSync(body).length : body.length;
}

/** The style and all scripts that an ordinary page loads, as browsers get them: compressed. */
async function fileSizes(port: number) {
  const { body } = await ask(port, '/', HEADERS);
  const paths = [...body.toString().matchAll(/(?:src|href)="([^"]+\.(css|js))"/g)];
  const sizes = { css: 0, js: 0 };
  for (const [, path, type] of paths) {
    sizes[type as keyof typeof sizes] += await gzipBytes(port, path!, {});
  }
  if (sizes.css === 0 || sizes.js === 0) throw new Error('the first page names no style or no script');
  return { styleBytes: sizes.css, scriptBytes: sizes.js };
}

/** Returns the progress line of a page. */
export function pageLine({ name, hot, bare, cold, alone }: PageResult): string {
  return (
    `  ${name}: hot ${count(hot.perSecond)} (bare ${count(bare.perSecond)}), cold ${count(cold.perSecond)}, ` +
    `alone ${milliseconds(alone.p50Ms)} ms`
  );
}

/** Prints all with their marks; gives whether they are met. */
export function reportPages(report: Report, title: string, { pages, styleBytes, scriptBytes }: PagesResult): boolean {
  report.rows(
    `Pages of the explorer, ${USUAL} connections; hot: one URL, cold: another URL each time, nothing kept; ${title}`,
    pages,
    [
      ['page', ({ name }) => name],
      ['size', ({ cold }) => bytesText(cold.bytesPerAnswer)],
      ['gzip', ({ gzipBytes }) => bytesText(gzipBytes)],
      ['hot/s', ({ hot }) => count(hot.perSecond)],
      ['bare/s', ({ bare }) => count(bare.perSecond)],
      ['of it', (page) => ratio(hotOfBare(page))],
      ['cold/s', ({ cold }) => count(cold.perSecond)],
      ['p50', ({ cold }) => milliseconds(cold.p50Ms)],
      ['p99', ({ cold }) => milliseconds(cold.p99Ms)],
      ['CPU µs', ({ cold }) => microseconds(cold.serverMicroseconds)],
      ['PostgreSQL µs', ({ cold }) => microseconds(cold.postgresMicroseconds)],
      ['alone p50', ({ alone }) => milliseconds(alone.p50Ms)],
    ],
  );
  return reportTargets(report, 'Marks', marksOfPages({ pages, styleBytes, scriptBytes }));
}

const NONE = { name: 'none', value: Number.NaN };

/** Returns the targets of pages with the values of the worst page. */
export function marksOfPages({ pages, styleBytes, scriptBytes }: PagesResult): Target[] {
  const worst = (which: 'least' | 'most', measure: (page: PageResult) => number) => {
    const values = pages.map((page) => ({ name: page.name, value: measure(page) }));
    // What could not be measured is worse than anything.
    const unknown = values.find(({ value }) => Number.isNaN(value));
    const sorted = values.sort((a, b) => (which === 'least' ? a.value - b.value : b.value - a.value));
    return unknown ?? sorted[0] ?? NONE;
  };
  const hot = worst('least', hotOfBare);
  const slowest = worst('most', ({ alone }) => alone.p50Ms);
  const largest = worst('most', ({ gzipBytes }) => gzipBytes + styleBytes);
  return [
    target(`hot, of a bare server, least: ${hot.name}`, hot.value, ratio, { least: MARKS.hotOfBare }),
    ...pages.flatMap(({ name, cold, leastCold }) =>
      leastCold === null ? [] : [target(`cold: ${name}`, cold.perSecond, perSecond, { least: leastCold })],
    ),
    target(`median with one client, longest: ${slowest.name}`, slowest.value, millisecondsText, {
      most: MARKS.medianMs,
    }),
    target(`HTML and style as gzip, largest: ${largest.name}`, largest.value, bytesText, { most: MARKS.pageBytes }),
    target('script as gzip', scriptBytes, bytesText, { most: MARKS.scriptBytes }),
  ];
}
