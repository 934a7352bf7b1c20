/** Renders the days of delegations and pools: tables, and charts of the newest of them. */
import { poolAddress } from '../../chain/address.ts';
import type { Id } from '../../chain/types.ts';
import type { DelegationDayEntryRow, PoolDayEntryRow } from '../../store/queries/pools/staking-days.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { newestFirst, type Words } from '../words/catalogue.ts';
import { coinColumn, countHtml, exactAmount } from './amount.ts';
import { barChart } from './chart.ts';
import { thingPath } from './id-links.ts';
import { column, inCard, numberColumn, table } from './table.ts';
import { dayOf } from './time.ts';

/** The days of the charts. */
export const CHARTED_DAYS = 90;

export function delegationDayTable(site: Site, days: readonly DelegationDayEntryRow[]): Html {
  return table(days, {
    caption: newestFirst('Rewards by day'),
    id: 'days',
    columns: [
      column('Day (UTC)', ({ day }) => dayOf(day)),
      coinColumn(site, 'Rewards', ({ rewards }) => rewards),
      coinColumn(site, 'Deposited', ({ deposited }) => deposited || null),
      coinColumn(site, 'Withdrawn', ({ withdrawn }) => withdrawn || null),
      inCard.namedTop(coinColumn(site, 'Balance', ({ balance }) => balance)),
    ],
    empty: 'This delegation has no days yet.',
  });
}

export function poolDayTable(site: Site, poolId: Id, days: readonly PoolDayEntryRow[]): Html {
  return table(days, {
    caption: newestFirst('Rewards by day'),
    id: 'days',
    columns: [
      column(
        'Day (UTC)',
        ({ day }) =>
          html`<a href="${site.href(`${thingPath('pool', poolAddress(site.network, poolId))}/days/${dayOf(day)}`)}">${dayOf(day)}</a>`,
      ),
      inCard.namedTop(numberColumn('Blocks', ({ blocks }) => countHtml(blocks))),
      coinColumn(site, 'Rewards of the staker', ({ staker_rewards }) => staker_rewards),
      coinColumn(site, 'Rewards of delegations', ({ delegation_rewards }) => delegation_rewards),
      inCard.off(coinColumn(site, 'Owner’s stake', ({ staker_balance }) => staker_balance)),
      coinColumn(site, 'Delegated', ({ delegations_balance }) => delegations_balance),
      inCard.off(numberColumn('Delegations', ({ delegation_count }) => countHtml(delegation_count))),
    ],
    empty: 'This pool has no days yet.',
  });
}

/** Draws a sum of coins of each of the newest days; a day without a row has a gap. `days`: newest first. Null if all are nothing. */
export function dailyCoinsChart<Row extends { readonly day: number }>(
  site: Site,
  days: readonly Row[],
  {
    title,
    description,
    coinsOf,
    values,
  }: {
    readonly title: Words;
    readonly description: (from: string, to: string) => Words;
    readonly coinsOf: (row: Row) => bigint;
    readonly values: Html;
  },
): Html | null {
  const [newest] = days;
  const oldest = days.at(-1);
  if (newest === undefined || oldest === undefined || days.every((row) => coinsOf(row) === 0n)) return null;
  const { coinTicker, coinDecimals } = site.network;
  const rows = new Map(days.map((row) => [row.day, row]));
  const first = Math.max(oldest.day, newest.day - CHARTED_DAYS + 1);
  const points = Array.from({ length: newest.day - first + 1 }, (_, i) => {
    const row = rows.get(first + i);
    const atoms = row === undefined ? 0n : coinsOf(row);
    return {
      x: first + i,
      name: dayOf(first + i),
      value: `${exactAmount(atoms, coinDecimals).decimal} ${coinTicker}`,
    };
  });
  return barChart({
    title,
    description: description(dayOf(first), dayOf(newest.day)),
    points,
    values,
  });
}
