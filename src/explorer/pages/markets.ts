/** `/markets`: the pairs with trades or open orders, by volume, change or newest trade. */

import { leastDepth } from '../../answers/market-depth.ts';
import { freezingOfMarket, isMarketCrossed } from '../../answers/markets.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import type { Atoms } from '../../chain/types.ts';
import { labelOfSide } from '../../store/queries/orders/market-labels.ts';
import { MARKET_SORTS, type MarketOrder, type MarketRow, marketList } from '../../store/queries/orders/markets.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { amountHtml, countHtml, DASH_HTML, exactAmount } from '../parts/amount.ts';
import { currencyDecimals, currencyText, currencyUnit } from '../parts/currency-names.ts';
import { pagingLinks, parseListPage, parseSort, readListPage } from '../parts/paging.ts';
import { badge } from '../parts/properties-and-badges.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import { frozenBadge } from '../parts/token.ts';
import {
  crossedBadge,
  crossedText,
  dayChangeHtml,
  marketLink,
  priceOfAmounts,
  thinLegend,
} from '../parts/trading-pair.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

export function marketsPage({ site }: ExplorerContext): AnyPage {
  const selection = { leastDepth: leastDepth(site.network) };
  return definePage({
    path: '/markets',
    parse: ({ query }) => {
      const sort = parseSort(
        query,
        MARKET_SORTS,
        DEFAULT_SORT,
        say('Markets are sorted {sorts}.', { sorts: MARKET_SORTS.join(', ') }),
      );
      return { sort, page: parseListPage(query, marketList(sort), selection) };
    },
    read: (store, { sort, page }) => readListPage(store, marketList(sort), page, selection),
    render: (shown, { sort }) => ({
      title: 'Markets',
      section: 'markets',
      canonical: '/markets',
      isUnlisted: !shown.isFirst || sort !== DEFAULT_SORT,
      api: [`/market?sort=${sort}`],
      body: html`<h1>Markets</h1><p class="lead">Pairs with trades or open orders. <a href="${site.href('/orders')}">All open orders</a></p>${marketTable(site, shown.entries, sort)}${pagingLinks(site, '/markets', shown, { query: sortQuery(sort) })}<p class="muted">Change: the last price compared with 24 hours ago.</p>${legend(site, shown.entries)}`,
    }),
  });
}

const DEFAULT_SORT: MarketOrder = 'by_volume';
const CAPTIONS: Readonly<Record<MarketOrder, Words>> = {
  by_volume: 'Markets, highest 24-hour volume first',
  by_change: 'Markets, largest 24-hour change first',
  by_trade: 'Markets, the one with the newest trade first',
};

const sortQuery = (sort: MarketOrder) => ({ sort: sort === DEFAULT_SORT ? undefined : sort });

function marketTable(site: Site, markets: readonly MarketRow[], sort: MarketOrder): Html {
  const link = (to: MarketOrder) => site.href('/markets', sortQuery(to));
  const labels = labelsOf(markets);
  const decimals = (currency: MarketRow['base']) => currencyDecimals(site, labels, currency);
  const text = (currency: MarketRow['base']) => currencyText(site, labels, currency);
  const price = (row: MarketRow, ofBase: Atoms | null, ofQuote: Atoms | null) => {
    const found = priceOfAmounts(ofBase, ofQuote, { base: decimals(row.base), quote: decimals(row.quote) });
    return found ? amountHtml(found, { unit: currencyUnit(site, labels, row.quote), isRounded: true }) : DASH_HTML;
  };
  return table<MarketRow, MarketOrder>(markets, {
    caption: CAPTIONS[sort],
    order: { sort, direction: 'descending', link },
    columns: [
      column('Market', (row) => {
        const name = textOf(say('{baseText}/{quoteText}', { baseText: text(row.base), quoteText: text(row.quote) }));
        return html`${marketLink(site, row.base, row.quote, name)} ${frozenBadge(freezingOfMarket(row))} ${crossedBadge(row)}`;
      }),
      inCard.top(numberColumn('Last price', (row) => price(row, row.last_base, row.last_quote))),
      inCard.plain(
        numberColumn('Change, 24 h', (row) => dayChangeHtml(site, row, freezingOfMarket(row) !== null), 'by_change'),
      ),
      numberColumn(
        'Volume, 24 h',
        (row) =>
          amountHtml(exactAmount(row.day_quote_volume, decimals(row.quote)), {
            unit: currencyUnit(site, labels, row.quote),
            isRounded: true,
          }),
        'by_volume',
      ),
      inCard.off(numberColumn('Best bid', (row) => price(row, row.bid_base, row.bid_quote))),
      inCard.off(numberColumn('Best ask', (row) => price(row, row.ask_base, row.ask_quote))),
      inCard.off(numberColumn('Open orders', (row) => countHtml(row.open_orders))),
      inCard.off(numberColumn('Trades', (row) => countHtml(row.trades))),
    ],
    empty: 'There are no markets yet: nobody has made an order.',
  });
}

/** Explains the marks of the markets of a page. */
function legend(site: Site, markets: readonly MarketRow[]): Html | null {
  const marks = [
    thinLegend(site, markets),
    markets.some(isMarketCrossed) && html`${badge('crossed')} ${crossedText()} `,
    markets.some((row) => freezingOfMarket(row) !== null) &&
      html`${badge('frozen', 'bad')} A token of the pair is frozen: its orders cannot be filled.`,
  ].filter(Boolean);
  return marks.length === 0 ? null : html`<p class="muted legend">${marks}</p>`;
}

function labelsOf(markets: readonly MarketRow[]): TokenLabels {
  const labels = new Map<string, ReturnType<typeof labelOfSide>>();
  for (const row of markets) {
    for (const side of ['base', 'quote'] as const) {
      const label = labelOfSide(side, row);
      if (label.ticker !== null || label.metadata !== null) labels.set(row[side], label);
    }
  }
  return labels;
}
