/** Streams of events: how fast a block reaches all of them, what they cost, and what others notice of it. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Bed } from './bed.ts';
import { nextMessage } from './next-message.ts';
import { bytesText, count, milliseconds, type Report } from './report.ts';
import { holdingsOf, usageOf } from './usage.ts';
import { watchTip } from './watch.ts';

export interface LiveLoad {
  readonly port: number;
  readonly streams: number;
}

export type LiveMessage =
  | { readonly type: 'open' }
  | { readonly type: 'failed'; readonly reason: string }
  /** When each block came on each stream: milliseconds since the epoch, by height. */
  | { readonly type: 'result'; readonly arrivals: [height: number, at: number[]][]; readonly lost: number };

export interface LiveResult {
  readonly streams: number;
  readonly blocks: number;
  /** From the scanner's commit to each stream. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The same to the last of all streams, for the slowest block. */
  readonly slowestMs: number;
  readonly bytesPerStream: number | null;
  readonly tipMedianMs: number;
  readonly tipP99Ms: number;
  /** Without streams, in the same run. */
  readonly quietTipP99Ms: number;
  readonly lost: number;
  readonly missed: number;
  readonly serverCpuSeconds: number | null;
  readonly seconds: number;
}

const BLOCK_INTERVAL_MS = 2_000;
const BLOCKS_AT_START = 100;
const TIP_INTERVAL_MS = 10;
const QUIET_MS = 3_000;
const SETTLING_MS = 3_000;
const COMMIT_POLL_MS = 2;
/** A process has other open files than streams. */
const OTHER_FILES = 200;

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

/** A block every 2 s for so many seconds, on so many streams of one web server process. */
export async function measureLive(
  bed: Bed,
  options: { readonly streams: number; readonly seconds: number; readonly preset: string; readonly seed: string },
): Promise<LiveResult> {
  const { streams, seconds, preset, seed } = options;
  const postgres = await bed.createDatabase('live');
  const client = await bed.connect(postgres);
  const devnet = await bed.startDevnet([
    `--preset=${preset}`,
    `--seed=${seed}`,
    `--blocks=${BLOCKS_AT_START}`,
    `--block-interval=${BLOCK_INTERVAL_MS}`,
  ]);
  const network = 'regtest-pos';
  const scanner = bed.startScanner({ network, node: devnet.address, postgres });
  await scanner.orEnd(watchTip(client, ({ height, isReady }) => isReady && height >= BLOCKS_AT_START));
  const most = `${streams + 1}`;
  const server = await bed.startWebServer({
    network,
    node: devnet.address,
    postgres,
    settings: { 'stream-events-max-subscribers': most, 'stream-events-max-subscribers-per-client': most },
  });
  const { pid } = server.program;
  const quiet = await tipLatencies(server.port, QUIET_MS);
  const before = holdingsOf(pid)?.residentBytes ?? null;

  const child = fork(fileURLToPath(new URL('live-process.ts', import.meta.url)), { execArgv: [] });
  try {
    child.send({ port: server.port, streams } satisfies LiveLoad);
    const opened = (await nextMessage(child, 'the listening process')) as LiveMessage;
    if (opened.type === 'failed') throw new Error(`the streams could not be opened: ${opened.reason}`);
    await sleep(SETTLING_MS);
    const after = holdingsOf(pid)?.residentBytes ?? null;
    const cpuBefore = usageOf(pid)?.cpuSeconds;
    const [commits, busy] = await scanner.orEnd(
      Promise.all([watchCommits(client, seconds * 1_000), tipLatencies(server.port, seconds * 1_000)]),
    );
    const cpuAfter = usageOf(pid)?.cpuSeconds;
    // What was committed last has to arrive as well.
    await sleep(1_000);
    const told = nextMessage(child, 'the listening process');
    child.send('end');
    const result = (await told) as LiveMessage;
    if (result.type !== 'result') throw new Error('the listening process gave no result');
    const arrivals = new Map(result.arrivals);
    const delays: number[] = [];
    let missed = 0;
    let slowestMs = 0;
    for (const [height, at] of commits) {
      const each = (arrivals.get(height) ?? []).map((arrival) => Math.max(arrival - at, 0));
      missed += streams - each.length;
      slowestMs = each.reduce((most, delay) => Math.max(most, delay), slowestMs);
      delays.push(...each);
    }
    delays.sort((a, b) => a - b);
    return {
      streams,
      blocks: commits.size,
      medianMs: part(delays, 0.5),
      p99Ms: part(delays, 0.99),
      slowestMs,
      bytesPerStream: before === null || after === null ? null : (after - before) / streams,
      tipMedianMs: part(busy, 0.5),
      tipP99Ms: part(busy, 0.99),
      quietTipP99Ms: part(quiet, 0.99),
      lost: result.lost,
      missed,
      serverCpuSeconds: cpuBefore === undefined || cpuAfter === undefined ? null : cpuAfter - cpuBefore,
      seconds,
    };
  } finally {
    child.kill();
    await bed.stop(server.program);
    await bed.stop(scanner);
    await bed.stop(devnet.program);
    await bed.disconnect(client);
  }
}

const part = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** When each block was there for readers of the database: milliseconds since the epoch, by height. */
async function watchCommits(client: pg.Client, forMs: number): Promise<Map<number, number>> {
  const commits = new Map<number, number>();
  let height: number | undefined;
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(COMMIT_POLL_MS)) {
    const { rows } = await client.query<{ height: number }>('select height from chain_indexer.chain_tip');
    const now = rows[0]!.height;
    if (height !== undefined && now !== height) commits.set(now, performance.timeOrigin + performance.now());
    height = now;
  }
  return commits;
}

/** How long `/chain/tip` takes that is asked 100 times a second, whether answers come or not; sorted. */
async function tipLatencies(port: number, forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const latencies: number[] = [];
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let i = 0; i * TIP_INTERVAL_MS < forMs; i++) {
    await sleep(Math.max(0, begun + i * TIP_INTERVAL_MS - performance.now()));
    const at = performance.now();
    asked.push(askTip(agent, port).then(() => void latencies.push(performance.now() - at)));
  }
  await Promise.all(asked);
  agent.destroy();
  return latencies.sort((a, b) => a - b);
}

function askTip(agent: Agent, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port, path: '/api/v2/chain/tip' }, (response) => {
      response.resume();
      response.on('end', resolve);
      response.on('error', reject);
    }).on('error', reject);
  });
}

export function reportLive(report: Report, result: LiveResult): void {
  const { bytesPerStream, serverCpuSeconds, seconds } = result;
  report.table(
    `Live: ${count(result.streams)} streams on one process, ${result.blocks} blocks, one each ${BLOCK_INTERVAL_MS / 1_000} s`,
    ['what', 'value'],
    [
      ["from the scanner's commit to a stream, median", `${milliseconds(result.medianMs)} ms`],
      ["from the scanner's commit to a stream, p99", `${milliseconds(result.p99Ms)} ms`],
      ['to the last of all streams, slowest block', `${milliseconds(result.slowestMs)} ms`],
      ['memory of a stream', bytesPerStream === null ? '?' : bytesText(bytesPerStream)],
      ['/chain/tip, 100 a second meanwhile, median', `${milliseconds(result.tipMedianMs)} ms`],
      ['/chain/tip, 100 a second meanwhile, p99', `${milliseconds(result.tipP99Ms)} ms`],
      ['the same without streams, p99', `${milliseconds(result.quietTipP99Ms)} ms`],
      [
        'processors that the web server used',
        serverCpuSeconds === null ? '?' : (serverCpuSeconds / seconds).toFixed(2),
      ],
      ['blocks that did not reach a stream', count(result.missed)],
      ['streams that broke', count(result.lost)],
    ],
  );
}
