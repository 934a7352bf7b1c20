/** `/markets`: the pairs with trades or open orders, the one with the newest trade first. */
import { askedPair, isMarketCrossed, pricedIn } from '../../api/present/market.ts';
import type { TokenLabels } from '../../api/present/token-label.ts';
import type { Atoms } from '../../chain/types.ts';
import { labelOf } from '../../store/queries/market-labels.ts';
import { MARKET_LIST, type MarketRow } from '../../store/queries/markets.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { amountHtml, countHtml, DASH_HTML, exactAmount } from '../parts/amount.ts';
import { currencyDecimals, currencyText, currencyUnit } from '../parts/currency.ts';
import { percentOf } from '../parts/number.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { badge } from '../parts/properties-and-badges.ts';
import { column, numberColumn, table } from '../parts/table.ts';
import { marketLink, unitPrice } from '../parts/trading-pair.ts';
import type { Site } from '../site-urls.ts';

export function marketsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/markets',
    parse: ({ query }) => ({ page: parseListPage(query, MARKET_LIST, {}) }),
    read: (store, { page }) => readListPage(store, MARKET_LIST, page, {}),
    render: (shown) => ({
      title: 'Markets',
      description: `The markets on Mintlayer ${site.network.name} at block ${shown.tip.height}: prices, volumes and open orders.`,
      section: 'markets',
      canonical: '/markets',
      isUnlisted: !shown.isFirst,
      api: ['/market'],
      body: html`<h1>Markets</h1><p class="lead">Pairs with trades or open orders, the one with the newest trade first. <a href="${site.href('/orders')}">Open orders of all pairs</a></p>${marketTable(site, shown.entries)}<p class="muted">24 hours: up to the newest block. Change: the last price against the last one before that.</p>${pagingLinks(site, '/markets', shown)}`,
    }),
  });
}

function marketTable(site: Site, markets: readonly MarketRow[]): Html {
  const labels = labelsOf(markets);
  const decimals = (currency: MarketRow['base']) => currencyDecimals(site, labels, currency);
  const text = (currency: MarketRow['base']) => currencyText(site, labels, currency);
  const price = (row: MarketRow, ofBase: Atoms | null, ofQuote: Atoms | null) => {
    const found = pricedIn(askedPair([row.base, row.quote]), ofBase, ofQuote);
    if (found === null) return DASH_HTML;
    const unit = currencyUnit(site, labels, row.quote);
    return amountHtml(unitPrice(found, decimals(row.base), decimals(row.quote)), { unit, isCut: true });
  };
  return table(markets, {
    caption: 'Markets, the one with the newest trade first',
    columns: [
      column('Market', (row) => marketLink(site, row.base, row.quote, `${text(row.base)} in ${text(row.quote)}`)),
      numberColumn('Last price', (row) => price(row, row.last_base, row.last_quote)),
      numberColumn('Change, 24 hours', (row) => changeHtml(row.day_change)),
      numberColumn('Volume, 24 hours', (row) =>
        amountHtml(exactAmount(row.day_quote_volume, decimals(row.quote)), {
          unit: currencyUnit(site, labels, row.quote),
          isCut: true,
        }),
      ),
      numberColumn('Best bid', (row) => price(row, row.bid_base, row.bid_quote)),
      numberColumn(
        'Best ask',
        (row) => html`${price(row, row.ask_base, row.ask_quote)}${isMarketCrossed(row) && html` ${badge('crossed')}`}`,
      ),
      numberColumn('Open orders', (row) => countHtml(row.open_orders)),
      numberColumn('Trades', (row) => countHtml(row.trades)),
    ],
    empty: 'There are no markets yet: nobody has made an order.',
  });
}

/** `change`: in millionths. */
function changeHtml(change: bigint | null): Html {
  if (change === null) return DASH_HTML;
  const hundredths = change / 100n;
  const percent = percentOf(hundredths);
  if (hundredths === 0n) return html`${percent}`;
  return hundredths < 0n ? html`<span class="bad">${percent}</span>` : html`<span class="good">+${percent}</span>`;
}

function labelsOf(markets: readonly MarketRow[]): TokenLabels {
  const labels = new Map<string, ReturnType<typeof labelOf>>();
  for (const row of markets) {
    for (const side of ['base', 'quote'] as const) {
      const label = labelOf(side, row);
      if (label.ticker !== null || label.metadata !== null) labels.set(row[side], label);
    }
  }
  return labels;
}
