/** Sparklines of what happens on the chain. */

import { feeRate } from '../../chain/fee-rate.ts';
import type { Atoms } from '../../chain/types.ts';
import type { ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import type { ChainDaysAgoRow } from '../../store/queries/chain/chain-days-ago.ts';
import type { Html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { exactAmount } from './amount.ts';
import { sparkline } from './chart.ts';

/** The newest blocks and the chain on each of the last days, both newest first. */
interface Activity {
  readonly blocks: readonly ListedBlockRow[];
  readonly days: readonly ChainDaysAgoRow[];
}

/** Each is null where there are fewer than two values. */
interface ActivityCharts {
  /** Each day has 24 hours; the last ends with the newest block. */
  readonly transactionsOfDays: Html | null;
  /** The fees of each block per kB of its size; blocks without transactions are left out. */
  readonly feeRates: Html | null;
}

export function activityCharts({ network }: Site, { blocks, days }: Activity): ActivityCharts {
  const ofDays = days
    .slice(1)
    .map(({ transactions }, i) => BigInt(days[i]!.transactions - transactions))
    .reverse();
  const rates = blocks
    .filter(({ tx_count }) => tx_count > 0)
    .map(({ fees, size }) => feeRate(fees, size))
    .reverse();
  const coins = (rate: Atoms) =>
    `${localDecimal(exactAmount(rate, network.coinDecimals).decimal)} ${network.coinTicker}`;
  return {
    transactionsOfDays: described(TITLES.transactionsOfDays, ofDays),
    feeRates: described(TITLES.feeRates, rates, coins),
  };
}

const TITLES = {
  transactionsOfDays: 'Transactions in each of the last {count} days: from {lowest} to {highest}, the last {last}',
  feeRates: 'Fees per kB of the newest {count} blocks with transactions: from {lowest} to {highest}, the last {last}',
} as const;

/** The title says the range and the last value, in words. */
function described(
  title: (typeof TITLES)[keyof typeof TITLES],
  values: readonly bigint[],
  text: (value: bigint) => string = String,
): Html | null {
  if (values.length < 2) return null;
  const ascending = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [lowest, highest, last] = [ascending[0]!, ascending.at(-1)!, values.at(-1)!].map(text) as [
    string,
    string,
    string,
  ];
  return sparkline(textOf(say(title, { count: values.length, lowest, highest, last })), values.map(Number));
}
