/** `/richlist`: who holds the coin. */
import { badRequest } from '../../api/errors/api-error.ts';
import { shownEntries } from '../../api/pagination/list-result.ts';
import { rowRange } from '../../api/pagination/paging.ts';
import { lastValue } from '../../api/parse/parameters.ts';
import { COIN } from '../../chain/currency.ts';
import { HOLDER_LISTS, type HolderOrder, type ListedHolderRow } from '../../store/queries/holders.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage } from '../page.ts';
import { AMOUNT_COLUMN, coinAmount, percentage } from '../parts/amount.ts';
import { destinationLink } from '../parts/ids.ts';
import { paging, parseListPage } from '../parts/paging.ts';
import { coinColumn } from '../parts/pool-table.ts';
import { type Column, table } from '../parts/table.ts';
import type { Site } from '../site.ts';

const ORDERS: readonly HolderOrder[] = ['total', 'amount'];

export function richListPage({ site }: Explorer): AnyPage {
  return definePage({
    path: '/richlist',
    parse: ({ query }) => {
      const sort = ORDERS.find((known) => known === (lastValue(query, 'sort') ?? 'total'));
      if (sort === undefined) throw badRequest('Holders are sorted by total or by amount');
      return { sort, page: parseListPage(query, HOLDER_LISTS[sort], { currency: COIN }) };
    },
    read: (store, { sort, page }) => HOLDER_LISTS[sort].read(store, { currency: COIN, ...rowRange(page) }),
    render: ({ rows }, { sort, page }) => {
      const shown = shownEntries(HOLDER_LISTS[sort], page, rows);
      const isFirst = page.after === null;
      const { coinTicker, name } = site.network;
      const supply = rows[0]!.circulating_supply;
      const query = { sort: sort === 'total' ? undefined : sort };
      return {
        title: `Rich list of ${coinTicker}`,
        description: `The addresses of Mintlayer ${name} that hold the most ${coinTicker}.`,
        section: 'richlist',
        canonical: '/richlist',
        isUnlisted: !isFirst || sort !== 'total',
        api: [`/statistics/coin/holders?sort=${sort}`, '/statistics/coin'],
        body: html`<h1>Rich list</h1><p class="lead">Addresses with the most ${coinTicker}, of ${coinAmount(site, supply)} that circulate. What pools and delegations hold is not theirs to spend, and not in this list.</p>${holderTable(
          site,
          shown.entries,
          sort,
        )}${paging(site, '/richlist', { isFirst, nextCursor: shown.nextCursor, query })}`,
      };
    },
  });
}

function holderTable(site: Site, holders: readonly ListedHolderRow[], sort: HolderOrder): Html {
  const { coinTicker } = site.network;
  const coin = coinColumn(site);
  const spendable = coin(holders.map(({ amount }) => amount));
  const locked = coin(holders.map(({ locked }) => locked));
  const total = coin(holders.map(({ total }) => total));
  const head = (label: string, order: HolderOrder): Column => ({
    label: html`<a href="${site.href('/richlist', { sort: order === 'total' ? undefined : order })}">${label}, ${coinTicker}</a>`,
    kind: AMOUNT_COLUMN,
    sorted: order === sort ? 'descending' : undefined,
  });
  return table({
    caption:
      sort === 'total' ? 'By all that they have, the largest first' : 'By what they can spend now, the largest first',
    columns: [
      { label: 'Address' },
      head('In all', 'total'),
      { label: 'Of the supply', kind: AMOUNT_COLUMN },
      head('Spendable', 'amount'),
      { label: `Locked, ${coinTicker}`, kind: AMOUNT_COLUMN },
    ],
    rows: holders.map((holder, i) => [
      destinationLink(site, holder.owner),
      total[i]!,
      percentage(holder.total, holder.circulating_supply),
      spendable[i]!,
      locked[i]!,
    ]),
    empty: `Nobody holds ${coinTicker} yet.`,
    id: 'holders',
  });
}
