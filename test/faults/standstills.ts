/** What a scanner cannot go on with: it says so, waits longer and longer, and `/ready` and the metrics tell. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../bench/seeded-random.ts';
import { spendingNothing } from '../support/contradicting-block.ts';
import { Scrape } from '../support/prometheus.ts';
import { until } from '../support/until.ts';
import type { LoggedLine, Stack } from './stack.ts';

/** Gives what was wrong. */
type Standstill = (stack: Stack, random: SeededRandom) => Promise<string[]>;

export const STANDSTILLS: Readonly<Record<string, Standstill>> = {
  'a block contradicts the chain': async (stack) => {
    const { node } = stack;
    const own = node.block(node.ownTip);
    let donor = own;
    while (donor.bytes.length < 700) donor = node.block(donor.prev);
    const logged = linesFromNowOn(stack, /indexing stopped/);
    node.showWrong(spendingNothing(donor, own));
    await until(() => logged().length >= 3, 'indexing stopped three times');
    return [...(await standsStill(stack, /unknown or already spent/)), ...shrinkingPauses(logged())];
  },
  'the node has fewer blocks than it says': async (stack, random) => {
    const logged = linesFromNowOn(stack, /says that it has more blocks, but gives none/);
    stack.node.boastedBlocks = random.pick([5_000, 2_000_000_000]);
    // One that follows the tip looks at blocks, not at heights.
    await stack.kill('scanner');
    await until(() => logged().length >= 3, 'three lines about blocks that are not given');
    const problems = [...(await standsStill(stack, /has more blocks, but gives none/)), ...shrinkingPauses(logged())];
    stack.node.boastedBlocks = 0;
    return problems;
  },
  'the node is far behind': async (stack, random) => {
    const { node } = stack;
    const logged = linesFromNowOn(stack, /the node is behind the index/);
    const problems: string[] = [];
    const from = random.whole(3, node.tip().height - 20);
    for (const height of [from, from - 1]) {
      node.show(node.mainChainId(height)!);
      problems.push(...(await standsStill(stack, new RegExp(`it is at height ${height}, behind the index at \\d+`))));
      // Not at once, as a line that follows at once is left out.
      await sleep(1_100);
    }
    if (logged().length > 1) problems.push(`it was logged ${logged().length} times that the node is behind`);
    return problems;
  },
};

function linesFromNowOn({ log }: Stack, text: RegExp): () => LoggedLine[] {
  const since = log.length;
  return () => log.slice(since).filter(({ msg }) => text.test(msg ?? ''));
}

/** Whether it waits longer and longer. */
function shrinkingPauses(lines: readonly LoggedLine[]): string[] {
  const pauses = lines.map(({ pauseMs }) => Number(pauseMs));
  return pauses.every((pause, i) => i === 0 || pause >= pauses[i - 1]!)
    ? []
    : [`its pauses do not grow: ${pauses.join(', ')}`];
}

async function standsStill(stack: Stack, reason: RegExp): Promise<string[]> {
  const saysWhy = async () => {
    const ready = await stack.said('scanner');
    return ready !== null && !ready.isReady && reason.test(ready.said.status);
  };
  await until(saysWhy, `/ready says ${reason}`);
  const metrics = new Scrape(await stack.scannerMetrics());
  const { timestamp } = stack.node.block(stack.node.ownTip);
  const isTold =
    metrics.value('chain_indexer_scanner_ready') === 0 &&
    metrics.value('chain_indexer_scanner_tip_timestamp_seconds') === timestamp;
  return isTold ? [] : ['the metrics do not tell that the scanner stands still, at a tip of what time'];
}
