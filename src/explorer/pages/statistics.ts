/** `/statistics`: the supply of the coin and its parts, and charts of the chain over time. */
import { hoursOf, type SeriesRange } from '../../api/parse/series.ts';
import { seriesPoints } from '../../api/present/series.ts';
import { COIN } from '../../chain/currency.ts';
import { readSeries, SERIES_IDS, type SeriesId, type SeriesRow } from '../../store/queries/series.ts';
import { getStatistics } from '../../store/queries/statistics.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { coinAmount } from '../parts/amount.ts';
import { shareBar } from '../parts/chart.ts';
import { percentage } from '../parts/number.ts';
import { tile, tiles } from '../parts/properties-and-badges.ts';
import { seriesChart, seriesTitle } from '../parts/series.ts';
import type { Site } from '../site-urls.ts';

/** The days of the charts. */
const DAYS = 90;
const RANGE: SeriesRange = { interval: 'day', since: null, below: null, points: DAYS };

function chartOf(site: Site, id: SeriesId, rows: readonly SeriesRow[]): Html | null {
  const { points } = seriesPoints(site.network, id, RANGE, rows);
  if (points.length === 0) return null;
  const link = html`<a href="${site.href(`/statistics/${id}`)}">${seriesTitle(site, id)}: values, other intervals, downloads</a>`;
  return seriesChart(site, id, RANGE.interval, points, link);
}

export function statisticsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/statistics',
    parse: () => null,
    read: async (store) => {
      const [supply, ...series] = await Promise.all([
        getStatistics(store, COIN),
        ...SERIES_IDS.map((id) => readSeries(store, id, RANGE.interval, hoursOf(RANGE))),
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
      const { coinTicker, name } = site.network;
      const title = `${percentage(staked, supply)} of the circulating supply is staked`;
      const rest = supply > staked ? supply - staked : 0n;
      return {
        title: 'Statistics',
        description: `The supply of ${coinTicker} on Mintlayer ${name}, and blocks, transactions, fees, stake and addresses by day.`,
        section: 'statistics',
        canonical: '/statistics',
        api: ['/statistics/coin', '/statistics/series'],
        body: html`<h1>Statistics</h1><h2>Supply of ${coinTicker}</h2>${tiles([
          tile('Circulating supply', coinAmount(site, supply, { isCut: true }), 'minted, minus burned'),
          tile('Staked', coinAmount(site, staked, { isCut: true }), 'in pools and delegations'),
          tile('Not staked', coinAmount(site, rest, { isCut: true }), 'held by addresses, orders and HTLCs'),
          tile('Burned', coinAmount(site, burned, { isCut: true }), 'can never be spent'),
          tile('Preminted', coinAmount(site, preminted, { isCut: true }), 'in the genesis block'),
        ])}<section aria-labelledby="staked"><h2 id="staked">${title}</h2>${shareBar(title, [
          Number((staked * 10_000n) / (supply || 1n)),
          Number((rest * 10_000n) / (supply || 1n)),
        ])}<ol class="shares"><li>staked</li><li>not staked</li></ol></section><p>Holders: <a href="${site.href('/richlist')}">rich list</a>. Stakers: <a href="${site.href('/pools')}">pools</a>.</p><section aria-labelledby="over-time"><h2 id="over-time">The last ${DAYS} days</h2><div class="charts">${SERIES_IDS.map((id, i) => chartOf(site, id, series[i]!))}</div></section>`,
      };
    },
  });
}
