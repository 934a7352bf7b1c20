/** What a scanner cannot go on with: it says so once, waits, and `/ready` and the metrics tell. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../bench/seeded-random.ts';
import { spendingNothing } from '../support/contradicting-block.ts';
import { Scrape } from '../support/prometheus.ts';
import { until } from '../support/until.ts';
import type { Stack } from './stack.ts';

const LASTS_MS = 1_500;

/** Gives what was wrong. */
type Standstill = (stack: Stack, random: SeededRandom) => Promise<string[]>;

export const STANDSTILLS: Readonly<Record<string, Standstill>> = {
  'a block contradicts the chain': async (stack) => {
    const { node } = stack;
    const own = node.block(node.ownTip);
    let donor = own;
    while (donor.bytes.length < 700) donor = node.block(donor.prev);
    node.showWrong(spendingNothing(donor, own));
    return await standsStill(stack, /unknown or already spent/, /indexing stopped/);
  },
  'the node is far behind': (stack, random) => {
    const { node } = stack;
    node.show(node.mainChainId(random.whole(1, node.tip().height - 20))!);
    return standsStill(stack, /it is at height \d+, behind the index at \d+/, /the node is behind the index/);
  },
};

async function standsStill(stack: Stack, reason: RegExp, line: RegExp): Promise<string[]> {
  const problems: string[] = [];
  const since = stack.log.length;
  const saysWhy = async () => {
    const said = await stack.ready('scanner');
    return said !== null && !said.isReady && reason.test(said.said.status);
  };
  await until(saysWhy, `/ready says ${reason}`, { pauseMs: 50 });
  await sleep(LASTS_MS);
  if (!(await saysWhy())) problems.push(`/ready no longer says ${reason}`);
  const metrics = new Scrape(await stack.scannerMetrics());
  if (metrics.value('chain_indexer_scanner_ready') !== 0) problems.push('the metric says that the scanner is ready');
  const lines = stack.log.slice(since).filter(({ msg }) => line.test(msg ?? ''));
  if (lines.length !== 1) problems.push(`it was logged ${lines.length} times: ${line}`);
  stack.node.showOwn();
  return problems;
}
