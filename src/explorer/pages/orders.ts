/** `/orders`: the open orders, all or those of one trading pair. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { currencyInPair, pairName } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import type { AgeSort } from '../../store/queries/lists/age-order.ts';
import { OPEN_ORDER_LISTS, type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import {
  type AnyPage,
  definePage,
  type ExplorerContext,
  type PageContent,
  type PageRequest,
  type Redirect,
} from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { currencyText, currencyUnit } from '../parts/currency-names.ts';
import { orderTable } from '../parts/order-table.ts';
import {
  ageQuery,
  ageSortColumn,
  pagingLinks,
  parseAgeSort,
  parseListPage,
  readListPage,
  type ShownPage,
} from '../parts/paging.ts';
import { marketLink } from '../parts/trading-pair.ts';
import { currencyField, readTypedCurrency, type TypedCurrency, typedCurrencyProblem } from '../parts/typed-currency.ts';
import { tokensOfCurrencies, tokensOfOrders } from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { parseVisitorCurrency, parseVisitorPair } from '../visitor-input.ts';
import { newestFirst, oldestFirst, say } from '../words/catalogue.ts';

type Pair = readonly [Currency, Currency];

/** What was typed into the two fields of the form. */
type Typed = readonly [first: string, second: string];

export function ordersPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/orders',
    parse: ({ query }) => {
      const { typed, pair } = typedOrPair(site, query);
      const sort = parseAgeSort(query);
      const page =
        pair === null
          ? parseListPage(query, OPEN_ORDER_LISTS[sort], {})
          : parseListPage(query, PAIR_ORDER_LIST, { pair });
      return { typed, pair, sort, page };
    },
    read: async (store, { typed, pair, sort, page }) => {
      if (typed !== null) return readTyped(store, answers, typed);
      const shown = await (pair === null
        ? readListPage(store, OPEN_ORDER_LISTS[sort], page, {})
        : readListPage(store, PAIR_ORDER_LIST, page, { pair }));
      const labels = await readTokenLabels(store, shown.tip, [
        ...tokensOfOrders(shown.rows),
        ...tokensOfCurrencies(pair ?? []),
      ]);
      return { tip: shown.tip, shown, labels };
    },
    render: (found, { typed, pair, sort }) => {
      if ('sides' in found) return typedContent(site, typed!, found.sides);
      return pair === null ? allOrders(site, found, sort) : ordersOfPair(site, found, pair);
    },
  });
}

interface FoundOrders {
  readonly shown: ShownPage<OrderRow>;
  readonly labels: TokenLabels;
}

function allOrders(site: Site, { shown, labels }: FoundOrders, sort: AgeSort): PageContent {
  const isNewestFirst = sort === 'by_height';
  const caption = (isNewestFirst ? newestFirst : oldestFirst)('Open orders');
  const order = ageSortColumn(sort, (query) => site.href('/orders', query));
  return {
    title: 'Open orders',
    section: 'orders',
    canonical: '/orders',
    isUnlisted: !shown.isFirst || !isNewestFirst,
    api: [isNewestFirst ? '/order' : `/order?sort=${sort}`],
    body: html`<h1>Open orders</h1>${pairForm(site)}${orderTable(site, labels, shown.entries, { caption, empty: 'There are no open orders.' }, order)}${pagingLinks(site, '/orders', shown, { query: ageQuery(sort) })}`,
  };
}

function ordersOfPair(site: Site, { shown, labels }: FoundOrders, pair: Pair): PageContent {
  const { network } = site;
  const [first, second] = [currencyText(site, labels, pair[0]), currencyText(site, labels, pair[1])];
  const query = { pair: pairName(network, ...pair) };
  const words = {
    base: marketOf(...pair).base,
    caption: say('Open orders of {first} and {second}, newest first', { first, second }),
    empty: 'There are no open orders.' as const,
  };
  const typed = pair.map((side) => currencyInPair(network, side));
  return {
    title: say('Open orders of {first} and {second}', { first, second }),
    section: 'orders',
    canonical: `/orders?pair=${query.pair}`,
    isUnlisted: !shown.isFirst,
    api: [`/order/pair/${query.pair}`],
    body: html`<h1>Open orders</h1><p class="lead">Between ${currencyUnit(site, labels, pair[0])} and ${currencyUnit(site, labels, pair[1])}, in both directions. ${linkToMarket(site, pair)} · <a href="${site.href('/orders')}">All open orders</a></p>${pairForm(site, typed)}${orderTable(site, labels, shown.entries, words)}${pagingLinks(site, '/orders', shown, { query })}`,
  };
}

/** Returns the pair of a request; or what was typed into the form, if that must be looked up or is wrong. */
function typedOrPair(
  site: Site,
  query: PageRequest['query'],
): { readonly typed: Typed | null; readonly pair: Pair | null } {
  try {
    return { typed: null, pair: pairIn(site, query) };
  } catch (error) {
    const { pair = '', first = '', second = '' } = query;
    if (pair !== '' || !(error instanceof ApiError)) throw error;
    return { typed: [String(first).trim(), String(second).trim()], pair: null };
  }
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
  return marketLink(site, base, quote, html`Prices, trades and order book`);
}

/** Reads the currencies that each typed text may mean; an empty text is the coin. */
async function readTyped(store: QueryRunner, { network, tipWatch }: AnswersContext, typed: Typed) {
  const sides = await Promise.all(typed.map((text) => readTypedCurrency(store, network, text || network.coinTicker)));
  return { tip: requireSameTip(...sides.map(({ tip }) => ({ tip: tip ?? tipWatch.tip! }))), sides };
}

/** Leads to the orders of a pair; or says why the typed texts are none, and keeps them in the form. */
function typedContent(site: Site, typed: Typed, sides: readonly TypedCurrency[]): PageContent | Redirect {
  const { network } = site;
  const [first, second] = sides.map(({ currency }) => currency);
  if (first != null && second != null) return { location: `/orders?pair=${pairName(network, first, second)}` };
  const urlOf = (side: number) => (token: string) => {
    const [first, second] = typed.map((each, i) => (i === side ? token : each));
    return site.href('/orders', { first: first!, second: second! });
  };
  const problems = sides.map((side, i) => side.currency === null && typedCurrencyProblem(site, side, urlOf(i)));
  return {
    title: 'Open orders',
    section: 'orders',
    canonical: '/orders',
    isUnlisted: true,
    api: [],
    body: html`<h1>Open orders</h1>${problems}${pairForm(site, typed)}`,
    status: 400,
  };
}

function pairForm(site: Site, typed: readonly string[] = ['', '']): Html {
  const placeholder = say('{unit}, a ticker or a token’s id', { unit: site.network.coinTicker });
  const [first, second] = typed;
  return html`<form class="filter" method="get" action="${site.href('/orders')}">${currencyField('first', 'Between', first!, placeholder)}${currencyField('second', 'and', second!, placeholder)}<button type="submit">Show</button></form>`;
}
