/** Sparklines of what happens on the chain. */
import { feeRate } from '../../chain/fee-rate.ts';
import type { Atoms } from '../../chain/types.ts';
import type { ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import type { DayBoundaryRow } from '../../store/queries/chain/day-boundaries.ts';
import type { Html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { exactAmount } from './amount.ts';
import { sparkline } from './chart.ts';

/** The newest blocks and the boundaries of the last days, both newest first. */
interface Activity {
  readonly blocks: readonly ListedBlockRow[];
  readonly days: readonly DayBoundaryRow[];
}

/** Each is null where there are fewer than two values. */
interface ActivityCharts {
  readonly transactionsOfBlocks: Html | null;
  /** Each day has 24 hours; the last ends with the newest block. */
  readonly transactionsOfDays: Html | null;
  /** The fees of each block per kB of its size; blocks without transactions are left out. */
  readonly feeRates: Html | null;
}

export function chainActivity({ network }: Site, { blocks, days }: Activity): ActivityCharts {
  const counts = blocks.map(({ tx_count }) => BigInt(tx_count)).reverse();
  const ofDays = days
    .slice(1)
    .map(({ transactions }, i) => BigInt(days[i]!.transactions - transactions))
    .reverse();
  const rates = blocks
    .filter(({ tx_count }) => tx_count > 0)
    .map(({ fees, size }) => feeRate(fees, size))
    .reverse();
  const coins = (rate: Atoms) => `${exactAmount(rate, network.coinDecimals).decimal} ${network.coinTicker}`;
  return {
    transactionsOfBlocks: described(`Transactions in each of the newest ${counts.length} blocks`, counts),
    transactionsOfDays: described(`Transactions in each of the last ${ofDays.length} days`, ofDays),
    feeRates: described(`Fees per kB of the newest ${rates.length} blocks with transactions`, rates, coins),
  };
}

/** The title says the range and the last value, in words. */
function described(what: string, values: readonly bigint[], text: (value: bigint) => string = String): Html | null {
  if (values.length < 2) return null;
  const ascending = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const range = `from ${text(ascending[0]!)} to ${text(ascending.at(-1)!)}, the last ${text(values.at(-1)!)}`;
  return sparkline(`${what}: ${range}`, values.map(Number));
}
