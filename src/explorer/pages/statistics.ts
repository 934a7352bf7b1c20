/** `/statistics`: the supply of the coin, and its parts. */
import { COIN } from '../../chain/currency.ts';
import { getStatistics } from '../../store/queries/statistics.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { coinAmount, percentage } from '../parts/amount.ts';
import { shareBar } from '../parts/chart.ts';
import { tile, tiles } from '../parts/properties-and-badges.ts';

export function statisticsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/statistics',
    parse: () => null,
    read: (store) => getStatistics(store, COIN),
    render: ({ rows }) => {
      const { circulating_supply: supply, preminted, burned, staked } = rows[0]!;
      const { coinTicker, name } = site.network;
      const title = `${percentage(staked, supply)} of the circulating supply is staked`;
      const rest = supply > staked ? supply - staked : 0n;
      return {
        title: `Supply of ${coinTicker}`,
        description: `How much ${coinTicker} there is on Mintlayer ${name}: circulating, staked, burned, preminted.`,
        section: 'statistics',
        canonical: '/statistics',
        api: ['/statistics/coin'],
        body: html`<h1>Supply of ${coinTicker}</h1>${tiles([
          tile('Circulating supply', coinAmount(site, supply), 'minted, minus burned'),
          tile('Staked', coinAmount(site, staked), 'in pools and delegations'),
          tile('Not staked', coinAmount(site, rest), 'held by addresses, orders and HTLCs'),
          tile('Burned', coinAmount(site, burned), 'can never be spent'),
          tile('Preminted', coinAmount(site, preminted), 'in the genesis block'),
        ])}<section aria-labelledby="staked"><h2 id="staked">${title}</h2>${shareBar(title, [
          Number((staked * 10_000n) / (supply || 1n)),
          Number((rest * 10_000n) / (supply || 1n)),
        ])}<ol class="shares"><li>staked</li><li>not staked</li></ol></section><p>Holders: <a href="${site.href('/richlist')}">rich list</a>. Stakers: <a href="${site.href('/pools')}">pools</a>.</p>`,
      };
    },
  });
}
