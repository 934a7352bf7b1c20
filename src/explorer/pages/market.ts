/** `/market/{pair}`: the prices, the trades and the order book of two currencies, with its depth as a chart. */

import { knownFastestRate } from '../../answers/known-fee-rates.ts';
import { requestedPair } from '../../answers/markets.ts';
import { isBookCrossed } from '../../answers/price-ratio.ts';
import { freezingOf } from '../../answers/token-label.ts';
import { pairName } from '../../chain/address.ts';
import type { Atoms } from '../../chain/types.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../../store/queries/orders/candles.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { amountHtml, exactAmount, maxDecimalsOf } from '../parts/amount.ts';
import { marketCandles } from '../parts/candles.ts';
import { currencyDecimals, currencyText, currencyUnit, tickerText } from '../parts/currency-names.ts';
import { sizeForm } from '../parts/fill-calculator.ts';
import { bookDepth, bookTable, type ShownBook, type ShownLevel } from '../parts/order-book.ts';
import { orderTable } from '../parts/order-table.ts';
import { fold, pagingLinks } from '../parts/paging.ts';
import { banner, tile, tiles } from '../parts/properties-and-badges.ts';
import { frozenBadge } from '../parts/token.ts';
import { tradeTable } from '../parts/trade-table.ts';
import { dayChange, marketLink, marketPath, priceOfAmounts, thinBadge } from '../parts/trading-pair.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { LEVELS, type MarketPageData, parseMarketRequest, readMarketPage } from '../read/market-page-data.ts';
import type { Site } from '../site.ts';
import { newestFirst, say, textOf, type Words } from '../words/catalogue.ts';

interface MarketData extends ShownBook, Omit<MarketPageData, 'buys' | 'sells'> {
  /** The interval that was asked for. */
  readonly askedInterval: CandleInterval | undefined;
  /** The form for an amount, and what it would cost. */
  readonly size: Html;
  readonly isSizeAsked: boolean;
}

/** Of a book with so many more levels than there are trades, the depth stands below both. */
const MANY_MORE = 6;

export function marketPage({ site, answers }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/market/:pair',
    parse: (request) => parseMarketRequest(site, request),
    read: async (store, request) => {
      const [found, feeRate] = await Promise.all([
        readMarketPage(site, store, request),
        request.asked.amount === '' ? null : knownFastestRate(answers),
      ]);
      return { ...found, feeRate };
    },
    render: (found, { base, quote, buys: { limit }, interval: askedInterval, asked }) => {
      const { tip, buys, sells, labels, trades, interval, market, taken, feeRate } = found;
      const name = pairName(network, base, quote);
      const named = { baseText: currencyText(site, labels, base), quoteText: currencyText(site, labels, quote) };
      const book = `/order/pair/${name}/book`;
      return {
        title: say('{baseText}/{quoteText}', named),
        description: say(
          'Prices, trades and order book of {baseText} in {quoteText} on Mintlayer {network} at block {height}.',
          { ...named, network: network.name, height: tip.height },
        ),
        section: 'markets',
        canonical: marketPath(network, base, quote),
        isUnlisted: !buys.isFirst || !sells.isFirst || !trades.isFirst || asked.amount !== '',
        api: [
          ...(market === null ? [] : [`/market/${name}`]),
          `/order/pair/${name}/trades`,
          `/order/pair/${name}/candles?interval=${interval}`,
          // The API has no book of a token that is not issued.
          ...(buys.rows[0]!.exists ? [`${book}?side=ask`, `${book}?side=bid`] : []),
          `/order/pair/${name}`,
        ],
        body: marketBody(site, {
          ...found,
          base,
          quote,
          baseText: tickerText(site, labels, base),
          quoteText: tickerText(site, labels, quote),
          askedInterval,
          isSizeAsked: asked.amount !== '',
          size: sizeForm(site, labels, { base, quote, interval: askedInterval }, asked, taken, feeRate),
          items: limit === Number(LEVELS) ? undefined : String(limit),
        }),
      };
    },
  });
}

const crossed = () =>
  banner(html`Crossed: the best bid is at or above the best ask, so anyone can fill both and keep the difference.`);

function marketBody(site: Site, data: MarketData): Html {
  const { base, quote, baseText, quoteText, buys, sells, labels } = data;
  const baseUnit = currencyUnit(site, labels, base);
  const quoteUnit = currencyUnit(site, labels, quote);
  const freezing = freezingOf([labels.get(base), labels.get(quote)]);
  const pair = pairName(site.network, base, quote);
  const isFirst = buys.isFirst && sells.isFirst && data.trades.isFirst;
  const isCrossed = buys.isFirst && sells.isFirst && isBookCrossed(buys.levels[0]?.price, sells.levels[0]?.price);
  // The curves of a crossed book lie over each other.
  const depth = isFirst && !isCrossed && bookDepth(data);
  // The depth stands below the book, where that leaves no hole beside it.
  const isBookLong = buys.levels.length + sells.levels.length > data.trades.entries.length + MANY_MORE;
  const newest = orderTable(site, labels, data.orders, {
    base,
    caption: newestFirst('Open orders'),
    empty: 'There are no open orders.',
  });
  const shown = !data.trades.isFirst ? 'trades' : !isFirst || data.isSizeAsked ? 'book' : null;
  return html`${watchedHeading(site, 'market', pair, html`<h1>${baseUnit}/${quoteUnit} ${frozenBadge(freezing)} ${thinBadge(site, data.market)} <span class="inverse">${marketLink(site, quote, base, html`⇄ ${quoteText}/${baseText}`)}</span></h1>`)}${isCrossed && crossed()}${isFirst && bestPrices(site, data, quoteUnit, baseUnit)}${tabs(shown)}<div class="market">${isFirst && prices(site, data)}<div class="book">${data.size}<section aria-labelledby="book"><h2 id="book">Order book</h2>${bookTable(site, data)}</section>${!isBookLong && depth}</div>${tradesOf(site, data)}${isBookLong && depth}<div id="orders">${fold('Open orders', html`${newest}<p class="paging"><a href="${site.href('/orders', { pair })}">All open orders</a></p>`)}</div></div>`;
}

/**
 * On phones one part is shown at a time; the style does that, so that it works without a script. Null: the style shows the
 * part of the address, such as `#size`, or the chart.
 */
function tabs(shown: Part | null): Html {
  const tab = (part: Part, label: Words) =>
    html`<label><input type="radio" name="part" value="${part}"${Attributes.of({ checked: part === shown })}>${textOf(label)}</label>`;
  return html`<form class="tabs"><fieldset><legend class="sr">Part of the page</legend>${tab('chart', 'Chart')}${tab('book', 'Book')}${tab('trades', 'Trades')}${tab('orders', 'Orders')}</fieldset></form>`;
}

type Part = 'chart' | 'book' | 'trades' | 'orders';

const BY_INTERVAL = { hour: 'by hour', day: 'by day', week: 'by week' } as const;

function prices(site: Site, { base, quote, labels, interval, candles }: MarketData): Html {
  const path = marketPath(site.network, base, quote);
  const links = CANDLE_INTERVALS.map((each) =>
    each === interval
      ? html` <strong aria-current="true">${textOf(BY_INTERVAL[each])}</strong>`
      : html` <a href="${site.href(path, { interval: each })}">${textOf(BY_INTERVAL[each])}</a>`,
  );
  return html`<section class="prices" aria-labelledby="prices"><div class="heading"><h2 id="prices">Prices</h2><nav aria-label="Intervals">${links}</nav></div>${marketCandles(site, labels, requestedPair([base, quote]), interval, candles)}</section>`;
}

function tradesOf(
  site: Site,
  { base, quote, baseText, quoteText, labels, trades, askedInterval, items }: MarketData,
): Html {
  const name = pairName(site.network, base, quote);
  const pages = pagingLinks(site, marketPath(site.network, base, quote), trades, {
    parameter: 'trades',
    query: { interval: askedInterval, items },
    anchor: 'trades',
    of: 'Trades',
  });
  const rows = tradeTable(site, labels, requestedPair([base, quote]), trades.entries, {
    caption: newestFirst('Trades'),
    empty: say('There has been no trade of {baseText} for {quoteText} yet.', { baseText, quoteText }),
  });
  return html`<section id="trades"><div class="heading"><h2>Trades</h2><a href="${site.api(`/order/pair/${name}/trades?format=csv`)}" rel="nofollow" download>CSV</a></div>${rows}${pages}</section>`;
}

function bestPrices(site: Site, data: MarketData, quoteUnit: Html, baseUnit: Html): Html {
  const { base, quote, labels, market } = data;
  const [buys, sells] = [data.buys.levels, data.sells.levels];
  const none = html`<span class="muted">no orders</span>`;
  const left = ([best, ...others]: readonly ShownLevel[]) => {
    if (best === undefined) return null;
    const amount = amountHtml(best.base, { unit: baseUnit, isRounded: 'inline' });
    const isDust = best.baseAmount * 99n < others.reduce((sum, { baseAmount }) => sum + baseAmount, 0n);
    return isDust ? html`only ${amount} available` : html`for ${amount}`;
  };
  const decimals = { base: currencyDecimals(site, labels, base), quote: currencyDecimals(site, labels, quote) };
  const last = market && priceOfAmounts(market.last_base, market.last_quote, decimals);
  const day =
    market !== null && market.day_trades > 0
      ? ([
          priceOfAmounts(market.day_low_base, market.day_low_quote, decimals)!,
          priceOfAmounts(market.day_high_base, market.day_high_quote, decimals)!,
        ] as const)
      : null;
  // Prices beside each other are compared: they have the same decimals.
  const shown = [last, ...(day ?? []), buys[0]?.wholePrice, sells[0]?.wholePrice].flatMap((each) => each ?? []);
  const alike = { isRounded: true, decimals: maxDecimalsOf(shown) };
  const price = (level: ShownLevel | undefined) =>
    level ? amountHtml(level.wholePrice, { unit: quoteUnit, ...alike }) : none;
  const dayRange = ([low, high]: NonNullable<typeof day>) =>
    tile(
      '24-hour range',
      html`${low.atoms !== high.atoms && html`${amountHtml(low, alike)} – `}${amountHtml(high, { unit: quoteUnit, ...alike })}`,
    );
  const volume = (atoms: Atoms, places: number, unit: Html, isRounded: true | 'inline') =>
    amountHtml(exactAmount(atoms, places), { unit, isRounded });
  return tiles([
    tile(
      'Last price',
      last ? amountHtml(last, { unit: quoteUnit, ...alike }) : html`<span class="muted">no trades</span>`,
      last && market && dayChange(site, market),
    ),
    day !== null && dayRange(day),
    market &&
      tile(
        'Volume, 24 h',
        volume(market.day_quote_volume, decimals.quote, quoteUnit, true),
        // Beside the short link of a ticker nothing else can be pressed.
        volume(market.day_base_volume, decimals.base, baseUnit, 'inline'),
      ),
    tile('Best bid', price(buys[0]), left(buys)),
    tile('Best ask', price(sells[0]), left(sells)),
  ]);
}
