/** `/orders`: the open orders, all or those of one trading pair. */
import { readTokenLabels } from '../../api/present/token-label.ts';
import { currencyInPair, pairName } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import { OPEN_ORDER_LIST, PAIR_ORDER_LIST } from '../../store/queries/orders.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageRequest } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { currencyText, currencyUnit } from '../parts/currency.ts';
import { orderTable } from '../parts/order-table.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { marketLink } from '../parts/trading-pair.ts';
import { tokensOfCurrencies, tokensOfOrders } from '../read/order-values.ts';
import { parseVisitorCurrency, parseVisitorPair } from '../read/visitor-input.ts';
import type { Site } from '../site-urls.ts';

type Pair = readonly [Currency, Currency];

export function ordersPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/orders',
    parse: ({ query }) => {
      const pair = pairIn(site, query);
      const page =
        pair === null ? parseListPage(query, OPEN_ORDER_LIST, {}) : parseListPage(query, PAIR_ORDER_LIST, { pair });
      return { pair, page };
    },
    read: async (store, { pair, page }) => {
      const shown = await (pair === null
        ? readListPage(store, OPEN_ORDER_LIST, page, {})
        : readListPage(store, PAIR_ORDER_LIST, page, { pair }));
      const labels = await readTokenLabels(store, shown.tip, [
        ...tokensOfOrders(shown.rows),
        ...tokensOfCurrencies(pair ?? []),
      ]);
      return { tip: shown.tip, shown, labels };
    },
    render: ({ tip, shown, labels }, { pair }) => {
      const name = pair === null ? undefined : pairName(network, ...pair);
      const of = pair === null ? '' : ` of ${pair.map((side) => currencyText(site, labels, side)).join(' and ')}`;
      const lead =
        pair !== null &&
        html`<p class="lead">Between ${currencyUnit(site, labels, pair[0])} and ${currencyUnit(site, labels, pair[1])}, in both directions. ${linkToMarket(site, pair)} · <a href="${site.href('/orders')}">All open orders</a></p>`;
      const empty = `There are no open orders${of}.`;
      return {
        title: `Open orders${of}`,
        description: `The open orders${of} on Mintlayer ${network.name} at block ${tip.height}, newest first.`,
        section: 'orders',
        canonical: name === undefined ? '/orders' : `/orders?pair=${name}`,
        isUnlisted: !shown.isFirst,
        api: [name === undefined ? '/order' : `/order/pair/${name}`],
        body: html`<h1>Open orders</h1>${lead}${pairForm(site, pair)}${orderTable(site, labels, shown.entries, { caption: `Open orders${of}, newest first`, empty })}${pagingLinks(site, '/orders', shown, { query: { pair: name } })}`,
      };
    },
  });
}

/** Returns the pair from `pair=FIRST_SECOND`, or from the two fields of the form. An empty field is the coin. */
function pairIn({ network }: Site, { pair, first = '', second = '' }: PageRequest['query']): Pair | null {
  if (typeof pair === 'string' && pair !== '') return parseVisitorPair(network, pair);
  const sides = [first, second].map((side) => String(side).trim());
  if (sides.every((side) => side === '')) return null;
  const [one, other] = sides.map((side) => parseVisitorCurrency(network, side === '' ? network.coinTicker : side));
  return [one!, other!];
}

function linkToMarket(site: Site, pair: Pair): Html {
  const { base, quote } = marketOf(...pair);
  return marketLink(site, base, quote, 'Prices, trades and order book');
}

function pairForm(site: Site, pair: Pair | null): Html {
  const { network } = site;
  const field = (name: string, label: string, value: string) =>
    html`<label>${label} <input name="${name}" value="${value}" maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${`${network.coinTicker} or a token's id`}"></label>`;
  const [first, second] = pair?.map((side) => currencyInPair(network, side)) ?? ['', ''];
  return html`<form class="filter" method="get" action="${site.href('/orders')}">${field('first', 'Between', first!)}${field('second', 'and', second!)}<button type="submit">Show</button></form>`;
}
