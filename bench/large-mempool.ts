/** Measures a large mempool: how soon a web server has it, what it costs, and how fast clients get its transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { API, ask, USUAL } from './endpoint-throughput.ts';
import type { LiveNodeProcess } from './live-node.ts';
import { type Generator, LoadGenerator } from './load-generator.ts';
import { residentBytes } from './process-usage.ts';
import { bytesText, count, millisecondsText, perSecond, ratio } from './report.ts';
import { type Target, target } from './report-targets.ts';
import type { Bed, WebServer } from './test-bed.ts';

export type LargeMempoolResult = Awaited<ReturnType<typeof measureLargeMempool>>;

const TRANSACTIONS = 5_000;
const TRANSACTION_BYTES = 400;
const TIMES_MIRRORED = 5;
/** The entries of the list whose rate is measured. */
const LISTED = 20;
const TURNS = 5;
const TURN_SECONDS = 1.5;
const WARM_UP_SECONDS = 0.5;
/** More transactions than the node's limit of 10 MiB has room for, and more than the mirror keeps. */
const TRANSACTIONS_OF_LARGE = 25_000;
const LARGE_PER_SECOND = 1_000;
const MAX_LIST_BYTES = 10 * 1024 * 1024;
/** The number of unchanged checks after which the mempool counts as stable. */
const QUIET_LOOKS = 20;
const LOOK_MS = 100;
const PATIENCE_MS = 60_000;
/**
 * The marks of issue 17, which only demands bounded memory: 8 MiB of encoded transactions are kept, which are 20,000 of
 * 400 bytes with 4 kB of memory each, and V8 lets as much garbage grow between two collections.
 */
const MARKS = { mirroredMs: 1_000, pace: 0.9, residentBytes: 300e6 } as const;

/**
 * Measures two mempools, each with a new web server process: the delay of many transactions, and the cost of very many.
 */
export async function measureLargeMempool(
  bed: Bed,
  serving: Parameters<Bed['startWebServer']>[0],
  node: LiveNodeProcess,
  { generator, say }: { readonly generator: Generator; readonly say: (text: string) => void },
) {
  const onServer = async <Result>(measure: (server: WebServer) => Promise<Result>): Promise<Result> => {
    const server = await bed.startWebServer(serving);
    const { program, port } = server;
    try {
      return await program.orEnd(figures(port, () => true).then(() => measure(server)));
    } finally {
      await bed.stop(program);
      await node.empty();
    }
  };
  say(`  ${count(TRANSACTIONS)} pending transactions ...`);
  const { mirroredMs, pace } = await onServer(async (server) => {
    const mirrored = await measureMirroring(server, node);
    const load = new LoadGenerator(generator, () => bed.postgresCpuSeconds());
    return { mirroredMs: mirrored, pace: await measurePace(load, server).finally(() => load.close()) };
  });
  say(`  ${count(TRANSACTIONS_OF_LARGE)} pending transactions ...`);
  const large = await onServer((server) => measureLarge(server, node));
  return {
    transactions: TRANSACTIONS,
    /** The delays from the moment when the node reads its list. */
    mirroredMs,
    pace,
    large,
  };
}

/** Milliseconds from the node's list to ours, each time from an empty mempool on. */
async function measureMirroring({ port }: WebServer, node: LiveNodeProcess): Promise<number[]> {
  const mirroredMs: number[] = [];
  for (let i = 0; i < TIMES_MIRRORED; i++) {
    if (i > 0) {
      await node.empty();
      await node.break();
      await figures(port, (it) => it.count < TRANSACTIONS);
    }
    await node.fill({ count: TRANSACTIONS, bytes: TRANSACTION_BYTES, perSecond: null });
    const at = await node.break();
    mirroredMs.push((await figures(port, ({ count }) => count >= TRANSACTIONS)) - at);
  }
  return mirroredMs;
}

interface Figures {
  readonly count: number;
  readonly complete: boolean;
}

/** Returns the first time when the mempool's figures satisfied a condition, in milliseconds since the epoch. */
async function figures(port: number, isSo: (figures: Figures) => boolean): Promise<number> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(2)) {
    const { status, body } = await ask(port, `${API}/mempool`, {});
    if (status === 200 && isSo(JSON.parse(String(body)))) return performance.timeOrigin + performance.now();
    if (performance.now() > deadline) throw new Error(`the mempool is not as it should be: ${String(body)}`);
  }
}

/** The list of pending transactions against a list of confirmed ones of about the same bytes, both hot. */
async function measurePace(load: LoadGenerator, server: WebServer) {
  const sizeOf = async (path: string) => Buffer.byteLength((await ask(server.port, path, {})).body);
  const path = `${API}/mempool/transactions?items=${LISTED}`;
  const mempoolBytes = await sizeOf(path);
  let otherPath = '';
  let otherBytes = Number.POSITIVE_INFINITY;
  for (let items = 1; items <= 100; items++) {
    const other = `${API}/transaction?items=${items}`;
    const bytes = await sizeOf(other);
    if (Math.abs(bytes - mempoolBytes) < Math.abs(otherBytes - mempoolBytes)) {
      otherPath = other;
      otherBytes = bytes;
    }
  }
  const run = (asked: string) =>
    load.rate(asked, server, {
      ...{ connections: USUAL, paths: [asked], unique: false, status: 200 },
      ...{ warmUpSeconds: WARM_UP_SECONDS, seconds: TURN_SECONDS },
    });
  const mempoolPerSecond: number[] = [];
  const otherPerSecond: number[] = [];
  // The first turn is for the code to get warm.
  for (let turn = 0; turn <= TURNS; turn++) {
    const [mempool, other] = [await run(path), await run(otherPath)];
    if (turn === 0) continue;
    mempoolPerSecond.push(mempool.perSecond);
    otherPerSecond.push(other.perSecond);
  }
  // The sizes of the two responses, and the responses per second of both, measured in turns.
  return { mempoolBytes, otherBytes, otherPath, mempoolPerSecond, otherPerSecond };
}

/** Fills a mempool that is too long for the node to list. */
async function measureLarge({ port, program }: WebServer, node: LiveNodeProcess) {
  const idleBytes = residentBytes(program.pid);
  const listBytes = await node.fill({
    count: TRANSACTIONS_OF_LARGE,
    bytes: TRANSACTION_BYTES,
    perSecond: LARGE_PER_SECOND,
  });
  // A list is refused, and the queue of those that were told is worked off.
  await node.break();
  let last: Figures = { count: 0, complete: true };
  let peakBytes = 0;
  for (let quiet = 0; quiet < QUIET_LOOKS; await sleep(LOOK_MS)) {
    const { body } = await ask(port, `${API}/mempool`, {});
    const now = JSON.parse(String(body)) as Figures;
    quiet = now.count === last.count && !now.complete ? quiet + 1 : 0;
    last = now;
    peakBytes = Math.max(peakBytes, residentBytes(program.pid) || 0);
  }
  return {
    transactions: TRANSACTIONS_OF_LARGE,
    listBytes,
    isComplete: last.complete,
    /** The number of transactions that the web server has at the end. */
    kept: last.count,
    /** The memory of the web server beyond that with an empty mempool. */
    residentBytes: peakBytes - idleBytes,
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export function targetsOfMempool({ transactions, mirroredMs, pace, large }: LargeMempoolResult): Target[] {
  const [mempool, other] = [median(pace.mempoolPerSecond), median(pace.otherPerSecond)];
  const { residentBytes } = large;
  const maxBytes = Number.isNaN(residentBytes) ? null : MARKS.residentBytes;
  return [
    target(
      `${count(transactions)} pending of ${TRANSACTION_BYTES} bytes, from the node's list to ours, slowest of ${mirroredMs.length}`,
      Math.max(...mirroredMs),
      millisecondsText,
      { most: MARKS.mirroredMs },
    ),
    target(`/mempool/transactions, ${bytesText(pace.mempoolBytes)}, hot`, mempool, perSecond),
    target(`${pace.otherPath}, ${bytesText(pace.otherBytes)}, hot`, other, perSecond),
    target('the first of the second', mempool / other, ratio, { least: MARKS.pace }),
    target(
      `list of ${count(large.transactions)} pending transactions, for which the node's answer has no room`,
      large.listBytes,
      bytesText,
      { least: MAX_LIST_BYTES },
    ),
    target('is said to be complete', large.isComplete ? 1 : 0, (value) => (value ? 'yes' : 'no'), { most: 0 }),
    target('are kept of them', large.kept, count),
    target('memory of the web server for them', residentBytes, bytesText, { most: maxBytes }),
  ];
}
