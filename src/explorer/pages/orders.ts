/** `/orders`: the open orders, all or those of one trading pair. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { currencyInPair, pairName, tokenAddress } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { type FoundTokenRow, searchTokens } from '../../store/queries/chain/search.ts';
import type { AgeSort } from '../../store/queries/lists/age-order.ts';
import { OPEN_ORDER_LISTS, type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import {
  type AnyPage,
  definePage,
  type ExplorerContext,
  type PageContent,
  type PageRequest,
  type Redirect,
} from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { wordsOfError } from '../page-error.ts';
import { chainText } from '../parts/chain-text.ts';
import { currencyText, currencyUnit } from '../parts/currency-names.ts';
import { idHtml } from '../parts/id-links.ts';
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
import { banner } from '../parts/properties-and-badges.ts';
import { marketLink } from '../parts/trading-pair.ts';
import { tokensOfCurrencies, tokensOfOrders } from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { looksLikeTicker, parseVisitorCurrency, parseVisitorPair } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

type Pair = readonly [Currency, Currency];

/** What was typed into the two fields of the form. */
type Typed = readonly [first: string, second: string];

/** The most tokens of a ticker that are offered. */
const MAX_CHOICES = 20;

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
  readonly tip: SnapshotTip;
  readonly shown: ShownPage<OrderRow>;
  readonly labels: TokenLabels;
}

function allOrders(site: Site, { tip, shown, labels }: FoundOrders, sort: AgeSort): PageContent {
  const isNewestFirst = sort === 'by_height';
  const caption = isNewestFirst ? 'Open orders, newest first' : 'Open orders, oldest first';
  const order = ageSortColumn(sort, (query) => site.href('/orders', query));
  const where = { network: site.network.name, height: tip.height };
  return {
    title: 'Open orders',
    description: say('The open orders on Mintlayer {network} at block {height}, newest first.', where),
    section: 'orders',
    canonical: '/orders',
    isUnlisted: !shown.isFirst || !isNewestFirst,
    api: [isNewestFirst ? '/order' : `/order?sort=${sort}`],
    body: html`<h1>Open orders</h1>${pairForm(site)}${orderTable(site, labels, shown.entries, { caption, empty: 'There are no open orders.' }, order)}${pagingLinks(site, '/orders', shown, { query: ageQuery(sort) })}`,
  };
}

function ordersOfPair(site: Site, { tip, shown, labels }: FoundOrders, pair: Pair): PageContent {
  const { network } = site;
  const [first, second] = [currencyText(site, labels, pair[0]), currencyText(site, labels, pair[1])];
  const where = { network: network.name, height: tip.height };
  const query = { pair: pairName(network, ...pair) };
  const words = {
    base: marketOf(...pair).base,
    caption: say('Open orders of {first} and {second}, newest first', { first, second }),
    empty: say('There are no open orders of {first} and {second}.', { first, second }),
  };
  const typed = pair.map((side) => currencyInPair(network, side));
  return {
    title: say('Open orders of {first} and {second}', { first, second }),
    description: say(
      'The open orders of {first} and {second} on Mintlayer {network} at block {height}, newest first.',
      { first, second, ...where },
    ),
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

/** What a typed text means: a currency, or the tokens with that ticker, or nothing, with the reason. */
interface TypedSide {
  readonly currency: Currency | null;
  readonly tokens: readonly FoundTokenRow[];
  readonly problem: Words | null;
}

/** Reads the currencies that each typed text may mean. */
async function readTyped(store: QueryRunner, answers: AnswersContext, typed: Typed) {
  const sides: TypedSide[] = [];
  const tips: { readonly tip: SnapshotTip }[] = [{ tip: answers.tipWatch.tip! }];
  for (const text of typed) {
    try {
      const currency = parseVisitorCurrency(answers.network, text === '' ? answers.network.coinTicker : text);
      sides.push({ currency, tokens: [], problem: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const found = looksLikeTicker(text) ? await searchTokens(store, text.toLowerCase(), MAX_CHOICES) : null;
      const tokens = found?.rows.filter((row) => row.type === 'token' && row.is_whole) ?? [];
      const problem = found === null ? wordsOfError(error) : say('No token has the ticker {text}.', { text });
      sides.push({ currency: tokens.length === 1 ? tokens[0]!.id : null, tokens, problem });
      if (found !== null) tips.push(found);
    }
  }
  return { tip: requireSameTip(...tips), sides };
}

/** Leads to the orders of a pair; or says why the typed texts are none, and keeps them in the form. */
function typedContent(site: Site, typed: Typed, sides: readonly TypedSide[]): PageContent | Redirect {
  const { network } = site;
  const [first, second] = sides.map(({ currency }) => currency);
  if (first != null && second != null) return { location: `/orders?pair=${pairName(network, first, second)}` };
  const problems = sides.flatMap((side, i) => (side.currency === null ? [sideProblem(site, typed, i, side)] : []));
  return {
    title: 'Open orders',
    description: say('The open orders on Mintlayer {network}.', { network: network.name }),
    section: 'orders',
    canonical: '/orders',
    isUnlisted: true,
    api: [],
    body: html`<h1>Open orders</h1>${problems}${pairForm(site, typed)}`,
    status: 400,
  };
}

/** Says what is wrong with a typed text, or offers the tokens that have this ticker. `i`: which of the fields it is. */
function sideProblem(site: Site, typed: Typed, i: number, { tokens, problem }: TypedSide): Html {
  if (tokens.length === 0) return banner(html`${chainText(textOf(problem!), { most: 300 })}`, 'bad');
  const choices = tokens.map(({ id, holders }) => {
    const token = tokenAddress(site.network, id);
    const [first, second] = typed.map((each, n) => (n === i ? token : each));
    const url = site.href('/orders', { first: first!, second: second! });
    return html`<li><a class="thing" href="${url}">${idHtml(token, { isShort: true })}</a> ${holders} holders</li>`;
  });
  return html`${banner(html`Several tokens have the ticker ${chainText(typed[i]!)}. Choose one:`, 'bad')}<ul>${choices}</ul>`;
}

function pairForm(site: Site, typed: readonly string[] = ['', '']): Html {
  const { network } = site;
  const field = (name: string, label: Words, value: string) =>
    html`<label>${textOf(label)} <input name="${name}" value="${value}" maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${say('{unit}, a ticker or a token’s id', { unit: network.coinTicker })}"></label>`;
  const [first, second] = typed;
  return html`<form class="filter" method="get" action="${site.href('/orders')}">${field('first', 'Between', first!)}${field('second', 'and', second!)}<button type="submit">Show</button></form>`;
}
