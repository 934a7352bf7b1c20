/** `/statistics`: the supply of the coin and its parts, and charts of the chain over time. */

import { type SeriesPoint, seriesPoints } from '../../answers/series-points.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { COIN } from '../../chain/currency.ts';
import { hoursOfRange, type SeriesRange } from '../../serving/parse/series.ts';
import { readSeries, type SeriesId, type SeriesRow, seriesDefinition } from '../../store/queries/chain/series.ts';
import { getStatistics } from '../../store/queries/tokens/currency-statistics.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { coinAmount, numberHtml } from '../parts/amount.ts';
import { percentage, roundNumber } from '../parts/number.ts';
import { fold } from '../parts/paging.ts';
import { propertyList, tile, tiles } from '../parts/properties-and-badges.ts';
import { chartedPoints, fromFirstChange, seriesChart, shownSeries } from '../parts/series.ts';
import { dayText } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { textOf, type Words, wordsFor } from '../words/catalogue.ts';

/** The most days of the charts. */
const DAYS = 90;
/** The series that are drawn. */
const CHARTED = ['transactions', 'active_addresses', 'block_time', 'staked'] as const satisfies readonly SeriesId[];
/** The series by what they are about. */
const GROUPS: readonly (readonly [title: Words, ids: readonly SeriesId[]])[] = [
  ['Activity', ['transactions', 'active_addresses', 'new_addresses', 'trades', 'fees']],
  ['Blocks', ['blocks', 'block_time', 'difficulty', 'bytes']],
  ['Supply', ['circulating_supply', 'total_supply', 'burned', 'holders']],
  ['Staking', ['staked', 'pools', 'delegations', 'largest_pools_share']],
  ['Tokens and orders', ['tokens', 'nfts', 'open_orders']],
];
const RANGE: SeriesRange = { interval: 'day', since: null, below: null, points: DAYS };

const linksOfSeries = (site: Site, ids: readonly SeriesId[]): Html =>
  html`<span class="links">${ids.map((id) => html`<a href="${site.href(`/statistics/${id}`)}">${textOf(wordsFor(seriesDefinition(id).title))}</a>`)}</span>`;

/** Returns the days of a chart. All charts end with the same day: some values are known only when it is over. */
function daysOf(site: Site, id: SeriesId, rows: readonly SeriesRow[]): readonly SeriesPoint[] {
  const { points, completeUntil } = seriesPoints(site.network, id, RANGE, rows);
  const complete = points.filter(({ time }) => time < completeUntil);
  return fromFirstChange(chartedPoints(id, rows[0]!, complete));
}

function chartOf(site: Site, id: SeriesId, points: readonly SeriesPoint[]): Html {
  const { time, value } = points.at(-1)!;
  const newest = html`${dayText(time)}: ${numberHtml(roundNumber(shownSeries(site, id, points).textOfValue(value)))}`;
  const link = html`<a href="${site.href(`/statistics/${id}`)}">Values, other intervals, downloads</a>`;
  return seriesChart(site, id, RANGE.interval, points, link, newest);
}

function chartsOf(site: Site, series: readonly (readonly SeriesRow[])[]): Html | null {
  const drawn = CHARTED.map((id, i) => ({ id, points: daysOf(site, id, series[i]!) })).filter(
    ({ points }) => points.length > 0,
  );
  if (drawn.length === 0) return null;
  const times = drawn.flatMap(({ points }) => points.map(({ time }) => time));
  const days = (Math.max(...times) - Math.min(...times)) / DAY_SECONDS + 1;
  const title = days === 1 ? textOf('The last day') : html`The last ${days} days`;
  return html`<section aria-labelledby="over-time"><h2 id="over-time">${title}</h2><div class="charts">${drawn.map(({ id, points }) => chartOf(site, id, points))}</div></section>`;
}

export function statisticsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/statistics',
    parse: () => null,
    read: async (store) => {
      const [supply, ...series] = await Promise.all([
        getStatistics(store, COIN),
        ...CHARTED.map((id) => readSeries(store, id, RANGE.interval, hoursOfRange(RANGE))),
      ]);
      return {
        tip: requireSameTip(supply, ...series),
        dependsOnHistory: series.some(({ dependsOnHistory }) => dependsOnHistory),
        rows: supply.rows,
        series: series.map(({ rows }) => rows),
      };
    },
    render: ({ rows, series }) => {
      const { circulating_supply: supply, preminted, burned, staked } = rows[0]!;
      const { coinTicker } = site.network;
      const rest = supply > staked ? supply - staked : 0n;
      return {
        title: 'Statistics',
        section: 'statistics',
        canonical: '/statistics',
        api: ['/statistics/coin', '/statistics/series'],
        body: html`<h1>Statistics</h1><div class="heading"><h2>Supply of ${coinTicker}</h2><a href="${site.href('/richlist')}">${textOf('Rich list')}</a></div>${tiles(
          [
            tile('Circulating supply', coinAmount(site, supply, { isRounded: true }), 'minted, minus burned'),
            tile(
              'Staked',
              coinAmount(site, staked, { isRounded: true }),
              html`${percentage(staked, supply)} of supply`,
            ),
            tile('Not staked', coinAmount(site, rest, { isRounded: true }), 'in addresses, orders and HTLCs'),
            tile('Burned', coinAmount(site, burned, { isRounded: true }), 'can never be spent'),
            tile('Preminted', coinAmount(site, preminted, { isRounded: true }), 'in the genesis block'),
          ],
        )}${chartsOf(site, series)}${fold('All charts', propertyList(GROUPS.map(([group, ids]) => [group, linksOfSeries(site, ids)])))}`,
      };
    },
  });
}
