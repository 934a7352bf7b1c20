/**
 * Measures event streams: how fast blocks and transactions reach all clients, what they cost, and how they delay
 * others.
 */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { destinationAddress } from '../src/chain/address.ts';
import { networkByName } from '../src/chain/networks/known-networks.ts';
import { type BareAnswer, BareServer } from './bare-server.ts';
import { ask, TIP } from './endpoint-throughput.ts';
import { HelperProcess } from './helper-process.ts';
import { measureLargeMempool, targetsOfMempool } from './large-mempool.ts';
import { LiveNodeProcess } from './live-node.ts';
import type { Generator } from './load-generator.ts';
import { residentBytes, usageOf } from './process-usage.ts';
import { bytesText, count, millisecondsText, percentile, type Report, sorted } from './report.ts';
import { reportTargets, type Target, target } from './report-targets.ts';
import type { Bed } from './test-bed.ts';
import { watchTip } from './watch-database-tip.ts';

export interface EventStreamLoad {
  readonly port: number;
  readonly streams: number;
  /** The paths of open pages, one for each stream in turn, whose events they want. None: streams of the chain. */
  readonly pages?: readonly string[];
  /** So many pages, by default all, are read again after the events that concern them, as the script of the pages does. */
  readonly readers?: number;
  /** Then there are no streams: blocks and transactions come at this pace. */
  readonly withoutStreams?: { readonly blockMs: number; readonly transactionMs: number };
}

export interface HeardEvents {
  /**
   * The arrival times of each event on each stream: milliseconds since the epoch, by the id of the block or
   * transaction.
   */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  /** Streams that broke. */
  readonly lost: number;
  /** Milliseconds of each request for an open page, and requests that failed. */
  readonly reads: readonly number[];
  readonly failed: number;
}

export type FanOut = Awaited<ReturnType<typeof measureFanOut>>;
export type EventStreamsResult = Awaited<ReturnType<typeof measureEventStreams>>;

export interface EventStreamsOptions {
  readonly streams: number;
  readonly seconds: number;
  readonly preset: string;
  readonly seed: string;
  readonly generator: Generator;
  readonly say: (text: string) => void;
}

const BLOCK_INTERVAL_MS = 2_000;
/** Two a second, at another place between two blocks each time. */
const TRANSACTION_INTERVAL_MS = 487;
const BLOCKS_AT_START = 100;
const FEW_STREAMS = 10;
const OPEN_PAGES = 1_000;
const TIP_INTERVAL_MS = 10;
const QUIET_MS = 3_000;
const SETTLING_MS = 3_000;
const COMMIT_POLL_MS = 2;
/** A process has other open files than streams. */
const OTHER_FILES = 200;
/**
 * The marks of issue 17. Sending to many streams takes its time: the median is that of a client that need not wait for
 * others.
 */
const MARKS = {
  blockToAllP99Ms: 500,
  streamBytes: 40_000,
  tipP99Ms: 50,
  seenMedianMs: 20,
  blockMedianMs: 30,
  pageP99Ms: 500,
  // A few hundredths of a processor, counted in ticks of 10 ms: runs differ by a third.
  pagesToBare: 2,
} as const;

/** Streams that the limit of open files allows, and what to do about it when that is less. */
export function possibleStreams(wanted: number): { readonly streams: number; readonly hint: string | null } {
  const limit = softFileLimit();
  if (limit === null || wanted + OTHER_FILES <= limit) return { streams: wanted, hint: null };
  const streams = Math.max(1, limit - OTHER_FILES);
  return {
    streams,
    hint: `${wanted} streams need more open files than the limit of ${limit}: ${streams} are measured. Raise it with ulimit -n ${wanted + OTHER_FILES}.`,
  };
}

function softFileLimit(): number | null {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return line === null ? null : Number(line[1]);
  } catch {
    return null;
  }
}

/** How a browser asks for a page. */
const AS_BROWSER = { accept: 'text/html', 'accept-encoding': 'br, gzip' } as const;

type Serving = Parameters<Bed['startWebServer']>[0];

/** Few streams, then many, then none and a large mempool: each time on one web server process of its own. */
export async function measureEventStreams(bed: Bed, options: EventStreamsOptions) {
  const { streams, seconds, preset, seed, generator, say } = options;
  const postgres = await bed.createDatabase('live');
  const client = await bed.connect(postgres);
  const node = await LiveNodeProcess.start({ preset, seed, blocks: BLOCKS_AT_START });
  const serving = { network: 'regtest-pos', node: node.address, postgres };
  const scanner = bed.startScanner(serving);
  try {
    await scanner.orEnd(watchTip(client, ({ height, isReady }) => isReady && height >= node.height));
    const measure = (wanted: number) => {
      say(`  ${count(wanted)} streams ...`);
      return scanner.orEnd(measureFanOut(bed, client, serving, node, { streams: wanted, seconds }));
    };
    const few = await measure(Math.min(FEW_STREAMS, streams));
    const many = await measure(streams);
    say(`  ${count(OPEN_PAGES)} open pages ...`);
    const open = await scanner.orEnd(measureOpenPages(bed, client, serving, node, { streams: OPEN_PAGES, seconds }));
    const mempool = await measureLargeMempool(bed, serving, node, { generator, say });
    return { few, many, ...open, mempool };
  } finally {
    node.close();
    await bed.stop(scanner);
    await bed.disconnect(client);
  }
}

/**
 * Open pages; as many streams, but one reader for each distinct page, so that each is made as often but sent once; as many
 * streams without readers; a bare server that sends the same pages as often.
 */
async function measureOpenPages(
  bed: Bed,
  client: pg.Client,
  serving: Serving,
  node: LiveNodeProcess,
  { streams, seconds }: Pick<EventStreamsOptions, 'streams' | 'seconds'>,
) {
  const pages = await openPagePaths(client, serving.network);
  const opened = await measureFanOut(bed, client, serving, node, { streams, seconds, pages });
  const madeOnly = await measureFanOut(bed, client, serving, node, { streams, seconds, pages, readers: pages.length });
  const streamsOnly = await measureFanOut(bed, client, serving, node, { streams, seconds, pages, readers: 0 });
  const bare = await measureBarePages(opened.answers, { streams, seconds });
  return { opened, madeOnly, streamsOnly, bare };
}

/** The same requests to a server that has nothing to do but to send prepared pages. */
async function measureBarePages(
  answers: ReadonlyMap<string, BareAnswer>,
  { streams, seconds }: Pick<EventStreamsOptions, 'streams' | 'seconds'>,
) {
  const server = await BareServer.start();
  const listener = new HelperProcess('event-streams-process.ts', 'the listening process');
  try {
    await server.useByUrl(answers);
    await listener.ask({
      port: server.port,
      streams,
      pages: [...answers.keys()],
      withoutStreams: { blockMs: BLOCK_INTERVAL_MS, transactionMs: TRANSACTION_INTERVAL_MS },
    } satisfies EventStreamLoad);
    const before = usageOf(server.pid).cpuSeconds;
    await sleep(seconds * 1_000);
    const cpuSeconds = usageOf(server.pid).cpuSeconds - before;
    const { reads, failed } = await listener.ask<HeardEvents>('end');
    return { reads: readsOf(reads, failed, seconds), processors: cpuSeconds / seconds };
  } finally {
    listener.close();
    server.close();
  }
}

function readsOf(reads: readonly number[], failed: number, seconds: number) {
  return { perSecond: reads.length / seconds, failed, p99Ms: percentile(sorted([...reads]), 0.99) };
}

/** The pages that many have open: the first page, the lists, and some addresses. */
async function openPagePaths(client: pg.Client, network: string): Promise<string[]> {
  const { rows } = await client.query<{ owner: string }>(
    `select encode(owner, 'hex') as owner from chain_indexer.address_transactions
     group by owner order by count(*) desc, owner limit 16`,
  );
  const addresses = rows.map(({ owner }) => `/address/${destinationAddress(networkByName(network), owner)}`);
  return ['/', '/blocks', '/txs', '/mempool', ...addresses];
}

/** A block every 2 s and two transactions a second, for so many seconds, on so many streams. */
async function measureFanOut(
  bed: Bed,
  client: pg.Client,
  serving: Serving,
  node: LiveNodeProcess,
  {
    streams,
    seconds,
    pages,
    readers = streams,
  }: Pick<EventStreamsOptions, 'streams' | 'seconds'> & Pick<EventStreamLoad, 'pages' | 'readers'>,
) {
  const most = `${streams + 1}`;
  const server = await bed.startWebServer({
    ...serving,
    settings: { 'stream-events-max-subscribers': most, 'stream-events-max-subscribers-per-client': most },
  });
  const { pid } = server.program;
  const quiet = await tipLatencies(server.port, QUIET_MS);
  const before = residentBytes(pid);
  const listener = new HelperProcess('event-streams-process.ts', 'the listening process');
  try {
    await listener.ask({ port: server.port, streams, readers, ...(pages && { pages }) } satisfies EventStreamLoad);
    await sleep(SETTLING_MS);
    const after = residentBytes(pid);
    const cpuBefore = usageOf(pid).cpuSeconds;
    const postgresBefore = bed.postgresCpuSeconds();
    const [commits, busy, told] = await Promise.all([
      watchCommits(client, seconds * 1_000),
      tipLatencies(server.port, seconds * 1_000),
      node.live({ seconds, blockMs: BLOCK_INTERVAL_MS, transactionMs: TRANSACTION_INTERVAL_MS }),
    ]);
    const cpuAfter = usageOf(pid).cpuSeconds;
    const postgresAfter = bed.postgresCpuSeconds();
    // What happened last has to arrive as well.
    await sleep(SETTLING_MS);
    const { arrivals, lost, reads, failed } = await listener.ask<HeardEvents>('end');
    const answers = new Map<string, BareAnswer>();
    for (const path of pages ?? []) answers.set(path, await ask(server.port, path, AS_BROWSER));
    return {
      streams,
      /** The pages at the end, by path. */
      answers,
      /** The delays from the scanner's commit. */
      blocks: delaysOf(commits, arrivals, streams),
      /** The delays from the node's event. */
      transactions: delaysOf(told, arrivals, streams),
      bytesPerStream: (after - before) / streams,
      tipMedianMs: percentile(busy, 0.5),
      tipP99Ms: percentile(busy, 0.99),
      /** The p99 without streams, in the same run. */
      quietTipP99Ms: percentile(quiet, 0.99),
      /** Streams that broke. */
      lost,
      /** Processors that the web server used. */
      processors: (cpuAfter - cpuBefore) / seconds,
      postgresProcessors: (postgresAfter - postgresBefore) / seconds,
      /** Requests for open pages. */
      reads: readsOf(reads, failed, seconds),
    };
  } finally {
    listener.close();
    await bed.stop(server.program);
  }
}

/** The delays from events to the streams, in milliseconds. `begun`: when each event happened, by its id. */
function delaysOf(
  begun: ReadonlyMap<string, number>,
  arrivals: ReadonlyMap<string, readonly number[]>,
  streams: number,
) {
  const delays: number[] = [];
  let missed = 0;
  for (const [id, at] of begun) {
    const each = arrivals.get(id) ?? [];
    missed += streams - each.length;
    for (const arrival of each) delays.push(Math.max(arrival - at, 0));
  }
  delays.sort((a, b) => a - b);
  return {
    events: begun.size,
    medianMs: percentile(delays, 0.5),
    p99Ms: percentile(delays, 0.99),
    /** The delay to the last of all streams, of the slowest event. */
    slowestMs: delays.at(-1) ?? Number.NaN,
    /** Streams that were not told of an event. */
    missed,
  };
}

/** Returns the times when readers of the database could see each block: milliseconds since the epoch, by id. */
async function watchCommits(client: pg.Client, forMs: number): Promise<Map<string, number>> {
  const commits = new Map<string, number>();
  let tip: string | undefined;
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(COMMIT_POLL_MS)) {
    const { rows } = await client.query<{ id: string }>(
      "select encode(block_id, 'hex') as id from chain_indexer.chain_tip",
    );
    const { id } = rows[0]!;
    if (tip !== undefined && id !== tip) commits.set(id, performance.timeOrigin + performance.now());
    tip = id;
  }
  return commits;
}

/** Returns the durations of `/chain/tip`, requested 100 times a second at fixed times; sorted. */
async function tipLatencies(port: number, forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const latencies: number[] = [];
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let i = 0; i * TIP_INTERVAL_MS < forMs; i++) {
    await sleep(Math.max(0, begun + i * TIP_INTERVAL_MS - performance.now()));
    const at = performance.now();
    asked.push(ask(port, TIP, {}, agent).then(() => void latencies.push(performance.now() - at)));
  }
  await Promise.all(asked);
  agent.destroy();
  return latencies.sort((a, b) => a - b);
}

/** What sending pages again costs, as a multiple of what a bare server needs for as many requests. */
function costOfPages({ opened, madeOnly, bare }: Awaited<ReturnType<typeof measureOpenPages>>) {
  const sentAgain = opened.reads.perSecond - madeOnly.reads.perSecond;
  const barely = (bare.processors / bare.reads.perSecond) * sentAgain;
  return { barely, factor: (opened.processors - madeOnly.processors) / barely };
}

/** Together they show what reading the pages costs. */
function targetsOfPages(result: EventStreamsResult): Target[] {
  const { opened, madeOnly, streamsOnly } = result;
  const { barely, factor } = costOfPages(result);
  const processors = (value: number) => value.toFixed(2);
  const title = `${count(opened.streams)} open pages`;
  return [
    target(`${title}, requests`, opened.reads.perSecond, (value) => `${count(value)}/s`),
    target(`${title}, a request, p99`, opened.reads.p99Ms, millisecondsText, { most: MARKS.pageP99Ms }),
    target(`${title}, requests that failed`, opened.reads.failed, String, { most: 0 }),
    target(`${title}, processors of the web server`, opened.processors, processors),
    target('as many streams without pages', streamsOnly.processors, processors),
    target('as many streams, each page made as often, but sent once', madeOnly.processors, processors),
    target('a bare server for the other requests', barely, processors),
    target('these requests, as a multiple of the bare server', factor, processors, { most: MARKS.pagesToBare }),
    target(`${title}, processors of PostgreSQL`, opened.postgresProcessors, processors),
    target('as many streams without pages', streamsOnly.postgresProcessors, processors),
  ];
}

function targetsOf(result: EventStreamsResult): Target[] {
  const { few, many, mempool } = result;
  const ofBoth = (what: string, read: (fanOut: FanOut) => number, most: number): Target[] => [
    target(`${what}, ${count(few.streams)} streams`, read(few), millisecondsText, { most }),
    target(`${what}, ${count(many.streams)} streams`, read(many), millisecondsText),
  ];
  const missed = [few, many].reduce((sum, { blocks, transactions }) => sum + blocks.missed + transactions.missed, 0);
  const maxBytes = Number.isNaN(many.bytesPerStream) ? null : MARKS.streamBytes;
  return [
    target("from the scanner's commit to all streams, p99", many.blocks.p99Ms, millisecondsText, {
      most: MARKS.blockToAllP99Ms,
    }),
    target('to the last of all streams, slowest block', many.blocks.slowestMs, millisecondsText),
    ...ofBoth("from the scanner's commit to `block`, median", ({ blocks }) => blocks.medianMs, MARKS.blockMedianMs),
    ...ofBoth(
      "from the node's event to `tx_seen`, median",
      ({ transactions }) => transactions.medianMs,
      MARKS.seenMedianMs,
    ),
    target("from the node's event to `tx_seen` on all streams, p99", many.transactions.p99Ms, millisecondsText),
    target('memory of a stream', many.bytesPerStream, bytesText, { most: maxBytes }),
    target('/chain/tip meanwhile, 100 a second, median', many.tipMedianMs, millisecondsText),
    target('/chain/tip meanwhile, 100 a second, p99', many.tipP99Ms, millisecondsText, { most: MARKS.tipP99Ms }),
    target('the same without streams, p99', many.quietTipP99Ms, millisecondsText),
    target('events that did not reach a stream', missed, String, { most: 0 }),
    target('streams that broke', few.lost + many.lost, String, { most: 0 }),
    target('processors that the web server used', many.processors, (value) => value.toFixed(2)),
    ...targetsOfPages(result),
    ...targetsOfMempool(mempool),
  ];
}

/** Reports the result. Returns true if all targets are met. */
export function reportEventStreams(report: Report, result: EventStreamsResult): boolean {
  const { streams, blocks, transactions } = result.many;
  return reportTargets(
    report,
    `Live: ${count(streams)} streams on one process, ${blocks.events} blocks, one each ${BLOCK_INTERVAL_MS / 1_000} s, ` +
      `and ${transactions.events} transactions between them`,
    targetsOf(result),
  );
}
