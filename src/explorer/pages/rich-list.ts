/** `/richlist`: the largest holders of the coin. */

import { COIN } from '../../chain/currency.ts';
import type { Atoms } from '../../chain/types.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { listStaked } from '../../store/queries/addresses/owned-coins-and-tokens.ts';
import { HOLDER_LISTS, type HolderListSort, type ListedHolderRow } from '../../store/queries/tokens/holders.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { coinAmount, coinColumn, countHtml, DASH_HTML } from '../parts/amount.ts';
import { destinationLink } from '../parts/id-links.ts';
import { percentage } from '../parts/number.ts';
import { pagingLinks, parseListPage, parseSort, readListPage } from '../parts/paging.ts';
import { column, inCard, numberColumn, type TableOrder, table } from '../parts/table.ts';
import { holderDownloads } from '../parts/token.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';

const ORDERS: readonly HolderListSort[] = ['total', 'amount'];

export function richListPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/richlist',
    parse: ({ query }) => {
      const sort = parseSort(query, ORDERS, 'total', 'Holders are sorted by total or by amount.');
      return { sort, page: parseListPage(query, HOLDER_LISTS[sort], { currency: COIN }), rank: parseRank(query) };
    },
    read: async (store, { sort, page }) => {
      const shown = await readListPage(store, HOLDER_LISTS[sort], page, { currency: COIN });
      const owners = shown.entries.map(({ owner }) => owner);
      const staked = await listStaked(store, owners);
      requireSameTip(shown, staked);
      return { ...shown, staked: new Map(staked.rows.map((row) => [row.owner, row.staked])) };
    },
    render: ({ staked, ...shown }, { sort, rank }) => {
      const { coinTicker } = site.network;
      const supply = shown.rows[0]!.circulating_supply;
      const first = shown.isFirst ? 1 : rank;
      const entries = shown.entries.map((row, i) => ({
        ...row,
        rank: first === null ? null : first + i,
        staked: staked.get(row.owner)!,
      }));
      const list = holderTable(site, entries, sort);
      const next = { rank: first === null ? undefined : String(first + entries.length) };
      const query = { sort: sort === 'total' ? undefined : sort };
      return {
        title: say('Rich list of {unit}', { unit: coinTicker }),
        section: 'richlist',
        canonical: '/richlist',
        isUnlisted: !shown.isFirst || sort !== 'total',
        api: [`/statistics/coin/holders?sort=${sort}`, '/statistics/coin'],
        body: html`<h1>Rich list</h1><p class="lead">Largest ${coinTicker} balances, staked coins not included. In circulation: ${coinAmount(site, supply, { isRounded: 'inline' })}.</p>${list}${pagingLinks(site, '/richlist', shown, { query, next })}${holderDownloads(site, 'coin', shown.tip)}`,
      };
    },
  });
}

/** Returns the rank of the page's first entry, which the link to the page names; null if the link names no rank. */
function parseRank(query: UrlQuery): number | null {
  const text = lastQueryValue(query, 'rank') ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

interface RankedHolder extends ListedHolderRow {
  readonly rank: number | null;
  readonly staked: Atoms;
}

function holderTable(site: Site, holders: readonly RankedHolder[], sort: HolderListSort): Html {
  const order: TableOrder<HolderListSort> = {
    sort,
    direction: 'descending',
    link: (to) => site.href('/richlist', { sort: to === 'total' ? undefined : to }),
  };
  return table(holders, {
    caption: sort === 'total' ? 'Largest balance first' : 'Most spendable first',
    isCaptionShown: true,
    id: 'holders',
    order,
    rowHeader: 1,
    columns: [
      numberColumn('Rank', ({ rank }) => (rank === null ? DASH_HTML : countHtml(rank))),
      column('Address', ({ owner }) => destinationLink(site, owner)),
      inCard.top(coinColumn(site, 'On the address', ({ total }) => total, 'total')),
      numberColumn('Share of supply', ({ total, circulating_supply }) => percentage(total, circulating_supply)),
      inCard.off(coinColumn(site, 'Spendable', ({ amount }) => amount, 'amount')),
      inCard.off(coinColumn(site, 'Locked', ({ locked }) => locked)),
      inCard.off(coinColumn(site, 'Including staked coins', ({ total, staked }) => total + staked)),
    ],
    empty: 'There are no holders yet.',
  });
}
