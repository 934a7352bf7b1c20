import type { BalanceDayRow } from '../../store/queries/addresses/balance-series.ts';
import type { Html } from '../html.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';
import { coinColumn, exactAmount } from './amount.ts';
import { lineChart } from './chart.ts';
import { heightLink, shortId } from './id-links.ts';
import { column, inCard, numberColumn, table } from './table.ts';
import { dayOf } from './time.ts';

/** The days of the chart. */
export const BALANCE_CHART_DAYS = 90;

/** `days`: at least one, newest first. `values`: the table of the days, or a link to it. */
export function balanceChart(site: Site, address: string, days: readonly BalanceDayRow[], values: Html): Html {
  const { coinTicker, coinDecimals } = site.network;
  const first = days.at(-1)!;
  // The line of the first days begins at zero, on the day before.
  const before = days.length < BALANCE_CHART_DAYS ? [{ day: first.day - 1, balance: 0n }] : [];
  return lineChart({
    title: say('Balance excluding staked coins, {unit}', { unit: coinTicker }),
    description: say('What {address} had at the end of each UTC day from {first} to {last}.', {
      address: shortId(address),
      first: dayOf(first.day),
      last: dayOf(days[0]!.day),
    }),
    points: [...days, ...before].toReversed().map((row) => ({
      x: row.day,
      name: dayOf(row.day),
      value: `${exactAmount(row.balance, coinDecimals).decimal} ${coinTicker}`,
    })),
    values,
  });
}

export const balanceDayTable = (site: Site, days: readonly BalanceDayRow[]): Html =>
  table(days, {
    caption: say('{unit} at the end of each day, newest first', { unit: site.network.coinTicker }),
    id: 'balance-days',
    columns: [
      column('Day (UTC)', ({ day }) => dayOf(day)),
      coinColumn(site, 'Received', ({ received }) => received),
      coinColumn(site, 'Sent', ({ sent }) => sent),
      inCard.namedTop(coinColumn(site, 'On the address', ({ balance }) => balance)),
      numberColumn('Last block', ({ last_height }) => heightLink(site, last_height)),
    ],
  });
