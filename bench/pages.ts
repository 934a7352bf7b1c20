/** The explorer's pages: hot against a bare server that sends the same bytes, cold, how long one takes, and their sizes. */
import { gzipSync } from 'node:zlib';
import { BareServer } from './bare-server.ts';
import type { Bed, WebServer } from './bed.ts';
import { LoadGenerator, type MeasuredLoad } from './load.ts';
import { type MeasuredPage, measuredPages, pageName } from './page-paths.ts';
import { ask, type ReadOptions, USUAL } from './read.ts';
import { bytesText, count, milliseconds, type Report, ratio } from './report.ts';
import { readSampleIds } from './sample-ids.ts';
import { isMet, reportTargets, type Target } from './targets.ts';

/** What issue 21 asks for. */
const MARKS = { hotOfBare: 0.9, medianMs: 10, pageBytes: 40_000, scriptBytes: 15_000 } as const;
/** As browsers ask. */
const HEADERS = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** Of this many pages of a kind the largest tells the size. */
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

export interface PagesResult {
  readonly pages: readonly PageResult[];
  /** Compressed. */
  readonly styleBytes: number;
  readonly scriptBytes: number;
}

export type PagesOptions = Omit<ReadOptions, 'onResult'> & { readonly onResult: (result: PageResult) => void };

/** Serves the database with one web server that remembers pages and one that does not, and loads them, page by page. */
export async function measurePages(bed: Bed, options: PagesOptions): Promise<PagesResult> {
  const { chain, postgres, only, seconds } = options;
  const client = await bed.connect(postgres);
  await client.query('vacuum');
  const samples = await readSampleIds(client, chain.network);
  await bed.disconnect(client);
  // The whole chain: pages look at what is pending on top of it.
  const devnet = await bed.startDevnet([`--replay=${chain.file}`]);
  const serving = { network: chain.networkArgument, node: devnet.address, postgres };
  const server = await bed.startWebServer(serving);
  const cold = await bed.startWebServer({ ...serving, program: 'uncached-web-server' });
  const bare = await BareServer.start();
  const load = new LoadGenerator(options.generator, () => bed.postgresCpuSeconds());
  const pages: PageResult[] = [];
  try {
    const files = await fileSizes(server.port);
    for (const page of measuredPages(samples).filter((each) => pageName(each).includes(only))) {
      const result = await measurePage(page, { bare, load, server, cold, seconds });
      options.onResult(result);
      pages.push(result);
    }
    return { pages, ...files };
  } finally {
    load.close();
    bare.close();
    for (const { program } of [server, cold, devnet]) await bed.stop(program);
  }
}

interface Measuring {
  readonly bare: BareServer;
  readonly load: LoadGenerator;
  readonly server: WebServer;
  readonly cold: WebServer;
  readonly seconds: number;
}

async function measurePage(page: MeasuredPage, measuring: Measuring): Promise<PageResult> {
  const { bare, load, server, cold, seconds } = measuring;
  const name = pageName(page);
  const answer = await ask(server.port, page.hot, HEADERS);
  if (answer.status !== 200) throw new Error(`${name}: status ${answer.status} for ${page.hot}`);
  const run = async (
    port: number,
    pid: number,
    paths: readonly string[],
    connections: number,
    unique: boolean,
    warmUpSeconds = seconds * WARM_UP,
  ) => {
    const common = { headers: HEADERS, status: 200, seconds, warmUpSeconds };
    const result = await load.measure({ ...common, port, connections, paths, unique }, pid);
    if (result.wrong !== null) throw new Error(`${name}: status ${result.wrong}`);
    return result;
  };
  await bare.use(answer);
  const turns: Pick<PageResult, 'bare' | 'hot'>[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const limit = await run(bare.port, bare.pid, [page.hot], USUAL, false);
    turns.push({ bare: limit, hot: await run(server.port, server.program.pid, [page.hot], USUAL, false) });
  }
  turns.sort((one, other) => hotOfBare(one) - hotOfBare(other));
  return {
    name,
    leastCold: page.leastCold ?? null,
    ...turns[Math.floor(TURNS / 2)]!,
    cold: await run(cold.port, cold.program.pid, page.cold, USUAL, true, COLD_WARM_UP_SECONDS),
    alone: await run(cold.port, cold.program.pid, page.cold, 1, true),
    gzipBytes: await largestPage(server.port, [page.hot, ...page.cold.slice(0, SIZED)]),
  };
}

function hotOfBare({ hot, bare }: Pick<PageResult, 'bare' | 'hot'>): number {
  return hot.perSecond / bare.perSecond;
}

async function largestPage(port: number, paths: readonly string[]): Promise<number> {
  let largest = 0;
  for (const path of new Set(paths)) {
    const { body } = await ask(port, path, { ...HEADERS, 'accept-encoding': 'gzip' });
    // What is short is sent as it is.
    largest = Math.max(largest, typeof body === 'string' ? gzipSync(body).length : body.length);
  }
  return largest;
}

/** The style and all scripts that an ordinary page loads, as browsers get them. */
async function fileSizes(port: number): Promise<Pick<PagesResult, 'styleBytes' | 'scriptBytes'>> {
  const { body } = await ask(port, '/', HEADERS);
  const paths = [...body.toString().matchAll(/(?:src|href)="([^"]+\.(css|js))"/g)];
  const sizes = { css: 0, js: 0 };
  for (const [, path, type] of paths) {
    const file = await ask(port, path!, { 'accept-encoding': 'gzip' });
    const bytes = typeof file.body === 'string' ? gzipSync(file.body).length : file.body.length;
    sizes[type as keyof typeof sizes] += bytes;
  }
  if (sizes.css === 0 || sizes.js === 0) throw new Error('the first page names no style or no script');
  return { styleBytes: sizes.css, scriptBytes: sizes.js };
}

/** One page as a line, for those who wait. */
export function pageLine({ name, hot, bare, cold, alone }: PageResult): string {
  return (
    `  ${name}: hot ${count(hot.perSecond)} (bare ${count(bare.perSecond)}), cold ${count(cold.perSecond)}, ` +
    `alone ${milliseconds(alone.p50Ms)} ms`
  );
}

/** Prints all with their marks; gives whether they are met. */
export function reportPages(report: Report, title: string, { pages, styleBytes, scriptBytes }: PagesResult): boolean {
  const micros = (value: number | null) => (value === null ? '–' : value.toFixed(0));
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
      ['CPU µs', ({ cold }) => micros(cold.serverMicroseconds)],
      ['PostgreSQL µs', ({ cold }) => micros(cold.postgresMicroseconds)],
      ['alone p50', ({ alone }) => milliseconds(alone.p50Ms)],
    ],
  );
  const marks = marksOfPages({ pages, styleBytes, scriptBytes });
  reportTargets(report, 'Marks', marks);
  return marks.every(isMet);
}

const NONE = { name: 'none', value: Number.NaN };

/** What is wanted of pages; the worst of them tells. */
export function marksOfPages({ pages, styleBytes, scriptBytes }: PagesResult): Target[] {
  const inMilliseconds = (value: number) => `${milliseconds(value)} ms`;
  const perSecond = (value: number) => `${count(value)}/s`;
  // What could not be measured is worse than anything.
  const worst = (measure: (page: PageResult) => number, isWorse: (one: number, other: number) => boolean) => {
    const values = pages.map((page) => ({ name: page.name, value: measure(page) }));
    const unknown = values.find(({ value }) => Number.isNaN(value));
    return unknown ?? values.sort((a, b) => (isWorse(a.value, b.value) ? -1 : 1))[0] ?? NONE;
  };
  const hot = worst(hotOfBare, (one, other) => one < other);
  const slowest = worst(
    ({ alone }) => alone.p50Ms,
    (one, other) => one > other,
  );
  const largest = worst(
    ({ gzipBytes }) => gzipBytes + styleBytes,
    (one, other) => one > other,
  );
  return [
    { what: `hot, of a bare server, least: ${hot.name}`, value: hot.value, text: ratio, least: MARKS.hotOfBare },
    ...pages.flatMap(({ name, cold, leastCold }) =>
      leastCold === null ? [] : [{ what: `cold: ${name}`, value: cold.perSecond, text: perSecond, least: leastCold }],
    ),
    {
      what: `median with one client, longest: ${slowest.name}`,
      value: slowest.value,
      text: inMilliseconds,
      most: MARKS.medianMs,
    },
    {
      what: `HTML and style as gzip, largest: ${largest.name}`,
      value: largest.value,
      text: bytesText,
      most: MARKS.pageBytes,
    },
    { what: 'script as gzip', value: scriptBytes, text: bytesText, most: MARKS.scriptBytes },
  ];
}
