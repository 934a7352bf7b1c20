/** Following at the tip: the delay of a block from the node's event to the API, and the highest rate. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeClient } from '../src/node/client.ts';
import { NodeTipEvents } from '../src/node/tip-events.ts';
import { ask, TIP } from './endpoint-throughput.ts';
import { fillDatabase } from './fill-database.ts';
import type { BenchChain } from './measured-chain.ts';
import { count, milliseconds, percentile, type Report } from './report.ts';
import type { Bed } from './test-bed.ts';
import { watchTip } from './watch-database-tip.ts';

/** Blocks that come one by one, and the pause between them. */
const WATCHED_BLOCKS = 200;
const BLOCK_INTERVAL_MS = 50;
/** Blocks that are there at once; the scanner follows when it is no farther behind than `BULK_SYNC_DISTANCE`. */
const FOLLOWED_BLOCKS = 700;
/** The first watched blocks come while the programs still start. */
const MIN_DELAYS = 20;
const POLL_MS = 0.5;

export type FollowResult = Awaited<ReturnType<typeof measureFollowing>>;

/** Follows the last blocks of the chain: first one by one, then as fast as it goes. */
export async function measureFollowing(bed: Bed, chain: BenchChain) {
  const fast = Math.min(FOLLOWED_BLOCKS, Math.floor(chain.height / 4));
  const watched = Math.min(WATCHED_BLOCKS, Math.floor(chain.height / 4));
  const lineBetween = chain.lines[chain.height - fast]!;
  const start = chain.height - fast - watched;
  const postgres = await fillDatabase(bed, chain, 'follow', start);
  const client = await bed.connect(postgres);
  const network = chain.networkArgument;

  const live = await bed.startDevnet([
    `--replay=${chain.file}`,
    `--resume-at=${chain.ids[start]}`,
    `--upto=${lineBetween}`,
    `--block-interval=${BLOCK_INTERVAL_MS}`,
  ]);
  const following = bed.startScanner({ network, node: live.address, postgres });
  const server = await bed.startWebServer({ network, node: live.address, postgres });
  const last = chain.height - fast;
  const delays = await following.orEnd(watchDelays(live.address, server.port, last));
  await bed.stop(server.program);
  await bed.stop(following);
  await bed.stop(live.program);

  const whole = await bed.startDevnet([`--replay=${chain.file}`]);
  const racing = bed.startScanner({ network, node: whole.address, postgres });
  const samples = await racing.orEnd(watchTip(client, ({ height }) => height >= chain.height));
  await bed.stop(racing);
  await bed.stop(whole.program);
  await bed.disconnect(client);

  // The first sample is the tip from before, the second already the first batch: the rate is of what came after it.
  const from = samples[1] ?? samples[0]!;
  const to = samples.at(-1)!;
  const fastBlocks = to.height - from.height;
  return {
    /** The delays from the node's event to the response of `/chain/tip`, in milliseconds, sorted. */
    delays,
    medianMs: percentile(delays, 0.5),
    p99Ms: percentile(delays, 0.99),
    fastBlocks,
    fastBlocksPerSecond: fastBlocks / Math.max((to.at - from.at) / 1000, 0.001),
  };
}

/** Compares the moments of the node's events with those at which the API has the block, until height `last`. */
async function watchDelays(node: string, port: number, last: number): Promise<number[]> {
  const client = new NodeClient({ address: node, auth: { type: 'password', username: 'bench', password: 'bench' } });
  const events = new NodeTipEvents(client);
  const told = new Map<number, number>();
  const seen = new Map<number, number>();
  const listening = (async () => {
    for await (const { height } of events) {
      if (!told.has(height)) told.set(height, performance.now());
      if (height >= last) return;
    }
  })();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let height = 0; height < last; await sleep(POLL_MS)) {
      const now = await tipHeight(agent, port);
      const at = performance.now();
      for (let each = height + 1; height > 0 && each <= now; each++) seen.set(each, at);
      height = now;
    }
    await listening;
  } finally {
    agent.destroy();
    await events.close();
    client.close();
  }
  const delays: number[] = [];
  let isCaughtUp = false;
  for (const [height, at] of told) {
    const delay = (seen.get(height) ?? Number.NaN) - at;
    // What came while the scanner or this observer were still connecting says nothing about following.
    if (Number.isNaN(delay)) continue;
    isCaughtUp ||= delay > 0 && delay < BLOCK_INTERVAL_MS;
    if (isCaughtUp) delays.push(Math.max(delay, 0));
  }
  if (delays.length < MIN_DELAYS) throw new Error(`only ${delays.length} blocks were seen on their way to the API`);
  return delays.sort((a, b) => a - b);
}

export async function tipHeight(agent: Agent, port: number): Promise<number> {
  const { body } = await ask(port, TIP, {}, agent);
  return Number(/"block_height":(\d+)/.exec(String(body))?.[1] ?? 0);
}

export function reportFollowing(report: Report, result: FollowResult): void {
  report.table(
    `Following: ${result.delays.length} blocks, one each ${BLOCK_INTERVAL_MS} ms; then ${result.fastBlocks} as fast as they come`,
    ['what', 'value'],
    [
      ["from the node's event to the API, median", `${milliseconds(result.medianMs)} ms`],
      ["from the node's event to the API, p99", `${milliseconds(result.p99Ms)} ms`],
      ['as fast as they come, blocks/s', count(result.fastBlocksPerSecond)],
    ],
  );
}
