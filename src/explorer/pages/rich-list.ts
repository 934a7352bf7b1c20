/** `/richlist`: the largest holders of the coin. */
import { COIN } from '../../chain/currency.ts';
import { HOLDER_LISTS, type HolderListSort, type ListedHolderRow } from '../../store/queries/tokens/holders.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { coinAmount, coinColumn } from '../parts/amount.ts';
import { destinationLink } from '../parts/id-links.ts';
import { percentage } from '../parts/number.ts';
import { pagingLinks, parseListPage, parseSort, readListPage } from '../parts/paging.ts';
import { column, numberColumn, type TableOrder, table } from '../parts/table.ts';
import type { Site } from '../site-urls.ts';

const ORDERS: readonly HolderListSort[] = ['total', 'amount'];

export function richListPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/richlist',
    parse: ({ query }) => {
      const sort = parseSort(query, ORDERS, 'total', 'Holders are sorted by total or by amount');
      return { sort, page: parseListPage(query, HOLDER_LISTS[sort], { currency: COIN }) };
    },
    read: (store, { sort, page }) => readListPage(store, HOLDER_LISTS[sort], page, { currency: COIN }),
    render: (shown, { sort }) => {
      const { coinTicker, name } = site.network;
      const supply = shown.rows[0]!.circulating_supply;
      const list = holderTable(site, shown.entries, sort);
      const query = { sort: sort === 'total' ? undefined : sort };
      return {
        title: `Rich list of ${coinTicker}`,
        description: `The addresses of Mintlayer ${name} that hold the most ${coinTicker}.`,
        section: 'richlist',
        canonical: '/richlist',
        isUnlisted: !shown.isFirst || sort !== 'total',
        api: [`/statistics/coin/holders?sort=${sort}`, '/statistics/coin'],
        body: html`<h1>Rich list</h1><p class="lead">Addresses with the most ${coinTicker}. Circulating supply: ${coinAmount(site, supply)}. Coins in pools and delegations are not included.</p>${list}${pagingLinks(site, '/richlist', shown, { query })}`,
      };
    },
  });
}

function holderTable(site: Site, holders: readonly ListedHolderRow[], sort: HolderListSort): Html {
  const order: TableOrder<HolderListSort> = {
    sort,
    direction: 'descending',
    link: (to) => site.href('/richlist', { sort: to === 'total' ? undefined : to }),
  };
  return table(holders, {
    caption: sort === 'total' ? 'Largest total balance first' : 'Largest spendable balance first',
    isCaptionShown: true,
    id: 'holders',
    order,
    columns: [
      column('Address', ({ owner }) => destinationLink(site, owner)),
      coinColumn(site, 'Total', ({ total }) => total, 'total'),
      numberColumn('Share of supply', ({ total, circulating_supply }) => percentage(total, circulating_supply)),
      coinColumn(site, 'Spendable', ({ amount }) => amount, 'amount'),
      coinColumn(site, 'Locked', ({ locked }) => locked),
    ],
    empty: 'There are no holders yet.',
  });
}
