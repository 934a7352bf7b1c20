/** Indexes that are built in place: what clients and blocks feel of it, and whether it ends after the scanner was killed. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { NodeClient } from '../src/node/client.ts';
import { NodeTipEvents } from '../src/node/tip-events.ts';
import { fillDatabase } from './fill-database.ts';
import { tipHeight } from './follow-tip.ts';
import { type Generator, LoadGenerator } from './load-generator.ts';
import type { BenchChain } from './measured-chain.ts';
import { millisecondsText, type Report } from './report.ts';
import { readSampleIds } from './sample-ids.ts';
import type { Bed } from './test-bed.ts';

/** Indexes on the largest tables. The measured reads do not need them. */
const INDEXES = ['outputs_owner', 'outputs_refund_owner', 'balance_changes_owner', 'balance_changes_new_holders'];
/** Blocks that arrive one by one meanwhile, until the measuring is over. */
const ARRIVING_BLOCKS = 2_000;
const BLOCK_INTERVAL_MS = 500;
const CLIENTS = 32;
const WINDOWS_BEFORE = 10;
const WINDOW_SECONDS = 1;
const ROUNDS = 3;
const KILLS = 10;
const KILL_WITHIN_MS = 1_500;
const POLL_MS = 5;

const MAX_MORE_P99_MS = 50;
const MAX_BLOCK_MS = 1_000;
/** Of 500,000 blocks. */
const MAX_VERIFY_SECONDS = 5;

export type InPlaceResult = Awaited<ReturnType<typeof measureInPlace>>;

export async function measureInPlace(bed: Bed, chain: BenchChain, generator: Generator, say: (text: string) => void) {
  const arriving = Math.min(ARRIVING_BLOCKS, Math.floor(chain.height / 4));
  const start = chain.height - arriving;
  const postgres = await fillDatabase(bed, chain, 'in_place', start);
  const client = await bed.connect(postgres);
  const network = chain.networkArgument;

  const live = await bed.startDevnet([
    `--replay=${chain.file}`,
    `--resume-at=${chain.ids[start]}`,
    `--block-interval=${BLOCK_INTERVAL_MS}`,
  ]);
  const options = { network, node: live.address, postgres };
  let scanner = bed.startScanner(options);
  const server = await bed.startWebServer(options);
  const { blocks, txs } = await readSampleIds(client, chain.network);
  say('verify --quick ...');
  const verifySeconds = await bed.verifyQuickly(options);
  const few = <T>(ids: readonly T[]) => ids.slice(0, 500);
  const paths = [
    ...few(blocks).map((id) => `/block/${id}`),
    ...few(txs).map((id) => `/transaction/${id}`),
    ...few(blocks).map((_, i) => `/chain/${i + 1}`),
    ...Array.from({ length: 500 }, (_, i) => ['/pool', '/transaction', '/block'][i % 3]!),
  ].map((path) => `/api/v2${path}`);
  const load = new LoadGenerator(generator, () => bed.postgresCpuSeconds());
  const window = async (): Promise<number> => {
    const seconds = { warmUpSeconds: 0, seconds: WINDOW_SECONDS };
    const { p99Ms } = await load.rate('while an index is built', server, {
      ...{ connections: CLIENTS, paths, unique: true, status: 200, ...seconds },
    });
    return p99Ms;
  };
  await window();
  const before: number[] = [];
  while (before.length < WINDOWS_BEFORE) before.push(await window());

  say(`building ${ROUNDS} times ...`);
  const during: number[] = [];
  const delays: number[] = [];
  const buildSeconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    scanner = await restartWithout(scanner);
    const since = performance.now();
    const ended = new AbortController();
    const watching = watchDelays(live.address, server.port, ended.signal);
    while (!(await areBuilt(client))) during.push(await window());
    buildSeconds.push((performance.now() - since) / 1_000);
    ended.abort();
    delays.push(...(await watching));
  }

  scanner = await restartWithout(scanner);
  let interrupted = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    say(`killing, ${kill + 1} of ${KILLS} ...`);
    // The session of a killed scanner may end its build before it notices: then nothing is left to build.
    const started = scanner.line((line) => (line.includes('is being built') ? true : undefined));
    for (let isDue = false; !isDue; isDue ||= await areBuilt(client))
      isDue = await Promise.race([started, sleep(500, false)]);
    await sleep(Math.random() * KILL_WITHIN_MS);
    if (!(await areBuilt(client))) interrupted++;
    await bed.stop(scanner, 'SIGKILL');
    if (await areBuilt(client)) await dropIndexes(client);
    scanner = bed.startScanner(options);
  }
  while (!(await areBuilt(client))) await scanner.orEnd(sleep(100));
  load.close();
  for (const program of [scanner, server.program, live.program]) await bed.stop(program);
  await bed.disconnect(client);
  return {
    blocks: start,
    verifySeconds,
    before: Math.max(...before),
    during,
    delays,
    buildSeconds,
    kills: KILLS,
    interrupted,
  };

  async function restartWithout(running: typeof scanner): Promise<typeof scanner> {
    await bed.stop(running);
    await dropIndexes(client);
    const next = bed.startScanner(options);
    await next.line((line) => (line.includes('is being built') ? true : undefined));
    return next;
  }
}

async function dropIndexes(client: pg.Client): Promise<void> {
  for (const name of INDEXES) await client.query(`drop index concurrently if exists ${name}`);
}

async function areBuilt(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ valid: number }>(
    `select count(*)::int as valid from unnest($1::text[]) as name
       join pg_index on indexrelid = to_regclass(name) and indisvalid`,
    [INDEXES],
  );
  return rows[0]!.valid === INDEXES.length;
}

/** Returns how long each block took from the node's event to the API, in milliseconds, once the index is at the node's tip. */
async function watchDelays(node: string, port: number, end: AbortSignal): Promise<number[]> {
  const client = new NodeClient({ address: node, auth: { type: 'password', username: 'bench', password: 'bench' } });
  const events = new NodeTipEvents(client);
  const waiting = new Map<number, number>();
  const listening = (async () => {
    for await (const { height } of events) if (!waiting.has(height)) waiting.set(height, performance.now());
  })().catch(() => {});
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const delays: number[] = [];
  let isCaughtUp = false;
  while (!end.aborted || (isCaughtUp && waiting.size > 0)) {
    const now = await tipHeight(agent, port);
    for (const [height, told] of waiting) {
      if (height > now) continue;
      if (isCaughtUp) delays.push(performance.now() - told);
      waiting.delete(height);
    }
    isCaughtUp ||= now > 0 && waiting.size === 0;
    await sleep(POLL_MS);
  }
  agent.destroy();
  await events.close();
  client.close();
  await listening;
  return delays;
}

/** Returns whether all marks are met. */
export function reportInPlace(report: Report, result: InPlaceResult): boolean {
  const { blocks, verifySeconds, before, during, delays, buildSeconds, kills, interrupted } = result;
  const [p99, slowest] = [Math.max(...during), Math.max(...delays)];
  const seconds = buildSeconds.map((each) => each.toFixed(1)).join(', ');
  report.table(
    `${INDEXES.length} indexes built in place on ${blocks} blocks, ${CLIENTS} clients, a block each ${BLOCK_INTERVAL_MS} ms`,
    ['what', 'value'],
    [
      ['seconds of verify --quick', verifySeconds.toFixed(1)],
      ['seconds of the builds', seconds],
      ['failed reads', '0'],
      [`p99 of the worst second of ${WINDOWS_BEFORE} before`, millisecondsText(before)],
      [`p99 of the worst second of ${during.length} meanwhile`, millisecondsText(p99)],
      [`slowest of ${delays.length} blocks, from the node's event to the API`, millisecondsText(slowest)],
      [`kills, of them within a build`, `${kills}, ${interrupted}`],
      ['all indexes valid after them', 'yes'],
    ],
  );
  return p99 <= before + MAX_MORE_P99_MS && slowest <= MAX_BLOCK_MS && verifySeconds <= MAX_VERIFY_SECONDS;
}
