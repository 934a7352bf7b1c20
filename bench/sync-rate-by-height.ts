/** The growth of the cost of a block with the chain: the rate in windows along a bulk sync. */
import type { BenchChain } from './measured-chain.ts';
import { bytesText, count, type Report } from './report.ts';
import type { SyncResult } from './sync.ts';
import type { TipSample } from './watch-database-tip.ts';

/** Heights at which the rate is told. */
const MARKS = [10_000, 25_000, 50_000, 100_000, 200_000, 300_000, 400_000, 500_000];
/** A rate is that of the blocks since this part of its mark. */
const WINDOW = 0.5;

/** Blocks early and late in a long chain, whose cost is compared. */
const EARLY = [20_000, 70_000] as const;
const LATE = [400_000, 500_000] as const;

interface Growth {
  readonly marks: ReturnType<typeof growthOf>;
  readonly cost: ReturnType<typeof costGrowthOf>;
}

/** The rates at the marks that the chain reaches. */
export function growthOf(samples: readonly TipSample[]) {
  return MARKS.flatMap((mark) => {
    const to = samples.find(({ height }) => height >= mark);
    const from = samples.findLast(({ height }) => height <= mark * WINDOW);
    if (!to || !from || from.height === 0) return [];
    const seconds = (to.at - from.at) / 1000;
    const transactions = to.transactions - from.transactions;
    return {
      height: to.height,
      blocksPerSecond: (to.height - from.height) / seconds,
      transactionsPerSecond: transactions / seconds,
      cpuMicrosecondsPerTransaction: cpuMicrosecondsPerTransaction(from, to),
    };
  });
}

/**
 * The processor time of a transaction, in µs, in early and in late blocks; null if the chain does not reach them. A range
 * goes from the first commit at its beginning or later to that at its end.
 */
export function costGrowthOf(samples: readonly TipSample[]): { readonly early: number; readonly late: number } | null {
  const [early, late] = [EARLY, LATE].map((heights) => {
    const [from, to] = heights.map((height) => samples.find((sample) => sample.height >= height));
    if (!from || !to || from === to) return null;
    return cpuMicrosecondsPerTransaction(from, to);
  });
  return early == null || late == null ? null : { early, late };
}

function cpuMicrosecondsPerTransaction(from: TipSample, to: TipSample): number {
  return (1e6 * (to.cpuSeconds - from.cpuSeconds)) / (to.transactions - from.transactions);
}

export function reportGrowth(report: Report, chain: BenchChain, result: SyncResult, { marks, cost }: Growth): void {
  const first = marks[0];
  report.table(
    `Growth: ${chain.title}, ${count(result.transactions)} transactions, in ${result.seconds.all.toFixed(0)} s`,
    ['up to height', 'blocks/s', 'transactions/s', 'of the first', 'processor time'],
    marks.map((mark) => [
      count(mark.height),
      count(mark.blocksPerSecond),
      count(mark.transactionsPerSecond),
      first ? `${Math.round((100 * mark.transactionsPerSecond) / first.transactionsPerSecond)}%` : '',
      `${count(mark.cpuMicrosecondsPerTransaction)} µs per transaction`,
    ]),
  );
  if (cost !== null) {
    report.say(
      `\n  processor time per transaction: ${count(cost.early)} µs in blocks ${EARLY.map(count).join(' to ')}, ` +
        `${count(cost.late)} µs in blocks ${LATE.map(count).join(' to ')} (${(cost.late / cost.early).toFixed(2)} times)`,
    );
  }
  report.say(
    `\n  indexes ${result.seconds.indexes.toFixed(1)} s, scanner memory at most ${Number.isNaN(result.peakBytes) ? '–' : bytesText(result.peakBytes)}, ` +
      `database ${bytesText(result.databaseBytes)} (${bytesText(result.bytesPerTransaction)} per transaction)`,
  );
}
