/** `/market/{pair}`: the prices, the trades and the order book of two currencies, with its depth as a chart. */

import { MAX_LEVELS } from '../../answers/fill-estimate.ts';
import { marketInDirection, priceInDirection, requestedPair } from '../../answers/markets.ts';
import { takenBook } from '../../answers/order-book.ts';
import { isBookCrossed } from '../../answers/price-ratio.ts';
import { freezingOf, readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { pairName } from '../../chain/address.ts';
import type { Atoms } from '../../chain/types.ts';
import { WHOLE_CHAIN } from '../../store/queries/blocks/chain-points.ts';
import {
  CANDLE_INTERVALS,
  CANDLE_LIST,
  type CandleEntryRow,
  type CandleInterval,
} from '../../store/queries/orders/candles.ts';
import { type FillEntryRow, TRADE_LIST } from '../../store/queries/orders/fills.ts';
import { getMarket, type MarketRow } from '../../store/queries/orders/markets.ts';
import { type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { type BookSide, PRICE_LEVEL_LIST } from '../../store/queries/orders/price-levels.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageRequest } from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { badInput, pageNotFound } from '../page-error.ts';
import { amountHtml, exactAmount } from '../parts/amount.ts';
import { marketCandles } from '../parts/candles.ts';
import { currencyDecimals, currencyText, currencyUnit, tickerText } from '../parts/currency-names.ts';
import { askedSize, sizeForm } from '../parts/fill-calculator.ts';
import { bookDepth, bookTable, readBookSide, type ShownBook, type ShownLevel } from '../parts/order-book.ts';
import { orderTable } from '../parts/order-table.ts';
import { fold, pagingLinks, parseListPage, readListPage, type ShownPage } from '../parts/paging.ts';
import { banner, tile, tiles } from '../parts/properties-and-badges.ts';
import { frozenBadge } from '../parts/token.ts';
import { tradeTable } from '../parts/trade-table.ts';
import { dayChange, marketLink, marketPath, thinBadge, unitPrice } from '../parts/trading-pair.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { tokensOfCurrencies, tokensOfOrders } from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { parseVisitorPair } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

interface MarketData extends ShownBook {
  readonly orders: readonly OrderRow[];
  readonly trades: ShownPage<FillEntryRow>;
  readonly interval: CandleInterval;
  /** The one that was asked for. */
  readonly askedInterval: CandleInterval | undefined;
  readonly candles: readonly CandleEntryRow[];
  /** Null without trades and open orders. */
  readonly market: MarketRow | null;
  /** The form for an amount, and what it would cost. */
  readonly size: Html;
  readonly isSizeAsked: boolean;
  readonly labels: TokenLabels;
}

const LEVELS = '10';
const NEWEST_ORDERS = 10;
const TRADES = '10';
const CANDLES = 90;
/** With so many trades of 24 hours, the hours have enough of them to be looked at; so it is with fewer days than these. */
const MANY_TRADES = 24 * 5;
const FEW_DAYS = 3;
/** Of a book with so many more levels than there are trades, the depth stands below both. */
const MANY_MORE = 6;

export function marketPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/market/:pair',
    parse: ({ params, query }) => {
      const [base, quote] = parseVisitorPair(network, params.pair!);
      const sideOf = (side: BookSide, cursor: PageRequest['query'][string]) =>
        parseListPage({ cursor, items: query.items }, PRICE_LEVEL_LIST, { base, quote, side, order: 'best' }, LEVELS);
      const { market } = requestedPair([base, quote]);
      const trades = parseListPage({ cursor: query.trades }, TRADE_LIST, { market, range: WHOLE_CHAIN }, TRADES);
      const interval = parseInterval(query.interval);
      return {
        base,
        quote,
        interval,
        trades,
        asked: askedSize(query),
        buys: sideOf('buys', query.buys),
        sells: sideOf('sells', query.sells),
      };
    },
    read: async (store, { base, quote, buys, sells, trades, interval, asked: size }) => {
      const pair = { base, quote, order: 'best' } as const;
      const { market } = requestedPair([base, quote]);
      const candlesBy = (each: CandleInterval) =>
        CANDLE_LIST.read(store, { market, interval: each, from: null, to: null, after: null, limit: CANDLES });
      const [bought, sold, orders, traded, asked, found, taken] = await Promise.all([
        readBookSide(site, store, buys, { ...pair, side: 'buys' }),
        readBookSide(site, store, sells, { ...pair, side: 'sells' }),
        PAIR_ORDER_LIST.read(store, { pair: [base, quote], after: null, limit: NEWEST_ORDERS }),
        readListPage(store, TRADE_LIST, trades, { market, range: WHOLE_CHAIN }),
        candlesBy(interval ?? 'day'),
        getMarket(store, market.base, market.quote),
        PRICE_LEVEL_LIST.read(store, {
          ...takenBook(base, quote, size.side),
          after: null,
          limit: size.amount === '' ? 1 : MAX_LEVELS,
        }),
      ]);
      const isByHour =
        interval === undefined && ((found.rows[0]?.day_trades ?? 0) >= MANY_TRADES || asked.rows.length < FEW_DAYS);
      const candles = isByHour ? await candlesBy('hour') : asked;
      const tip = requireSameTip(bought, sold, orders, traded, candles, found, taken);
      if (!traded.rows[0]!.exists) {
        throw pageNotFound('There is no such market: one of its currencies is a token that was never issued.', tip);
      }
      const tokens = [...tokensOfCurrencies([base, quote]), ...tokensOfOrders(orders.rows)];
      const labels = await readTokenLabels(store, tip, tokens);
      const shownCandles = candles.rows.filter((row) => CANDLE_LIST.isEntry(row));
      const row = found.rows[0];
      const shown = row === undefined ? null : marketInDirection(requestedPair([base, quote]), row);
      return {
        tip,
        bought,
        sold,
        orders: orders.rows,
        labels,
        trades: traded,
        candles: shownCandles,
        interval: interval ?? (isByHour ? 'hour' : 'day'),
        market: shown,
        taken,
      };
    },
    render: (
      { tip, bought, sold, orders, labels, trades, candles, interval, market, taken },
      { base, quote, buys, interval: askedInterval, asked },
    ) => {
      const name = pairName(network, base, quote);
      const named = { baseText: currencyText(site, labels, base), quoteText: currencyText(site, labels, quote) };
      const pair = { base, quote };
      const data: MarketData = {
        ...pair,
        baseText: tickerText(site, labels, base),
        quoteText: tickerText(site, labels, quote),
        buys: bought,
        sells: sold,
        orders,
        trades,
        interval,
        askedInterval,
        candles,
        market,
        isSizeAsked: asked.amount !== '',
        size: sizeForm(site, labels, { base, quote, interval: askedInterval }, asked, taken.rows),
        labels,
        items: buys.limit === Number(LEVELS) ? undefined : String(buys.limit),
      };
      const book = `/order/pair/${name}/book`;
      return {
        title: say('{baseText}/{quoteText}', named),
        description: say(
          'Prices, trades and order book of {baseText} in {quoteText} on Mintlayer {network} at block {height}.',
          { ...named, network: network.name, height: tip.height },
        ),
        section: 'markets',
        canonical: marketPath(network, base, quote),
        isUnlisted: !bought.isFirst || !sold.isFirst || !trades.isFirst || asked.amount !== '',
        api: [
          ...(market === null ? [] : [`/market/${name}`]),
          `/order/pair/${name}/trades`,
          `/order/pair/${name}/candles?interval=${interval}`,
          // The API has no book of a token that is not issued.
          ...(bought.rows[0]!.exists ? [`${book}?side=ask`, `${book}?side=bid`] : []),
          `/order/pair/${name}`,
        ],
        body: marketBody(site, data),
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
  const depth = isFirst && bookDepth(data);
  // The depth stands below the book, where that leaves no hole beside it.
  const isBookLong = buys.levels.length + sells.levels.length > data.trades.entries.length + MANY_MORE;
  const newest = orderTable(site, labels, data.orders, {
    base,
    caption: 'Newest open orders of the pair',
    empty: 'There are no open orders of the pair.',
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

/** Returns the interval of a request, if it has one. */
function parseInterval(text: PageRequest['query'][string]): CandleInterval | undefined {
  if (text === undefined) return undefined;
  const interval = CANDLE_INTERVALS.find((known) => known === text);
  if (interval === undefined) throw badInput('Prices are shown by hour, day or week.');
  return interval;
}

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
    label: 'Pages of trades',
  });
  const rows = tradeTable(site, labels, requestedPair([base, quote]), trades.entries, {
    caption: 'Trades, newest first',
    empty: say('There has been no trade of {baseText} for {quoteText} yet.', { baseText, quoteText }),
  });
  return html`<section id="trades"><div class="heading"><h2>Trades</h2><a href="${site.api(`/order/pair/${name}/trades?format=csv`)}" rel="nofollow" download>CSV</a></div>${rows}${pages}</section>`;
}

function bestPrices(site: Site, data: MarketData, quoteUnit: Html, baseUnit: Html): Html {
  const { base, quote, labels } = data;
  const [buys, sells] = [data.buys.levels, data.sells.levels];
  const none = html`<span class="muted">no orders</span>`;
  const price = (level: ShownLevel | undefined) =>
    level ? amountHtml(level.wholePrice, { unit: quoteUnit, isRounded: true }) : none;
  const left = ([best, ...others]: readonly ShownLevel[]) => {
    if (best === undefined) return null;
    const amount = amountHtml(best.base, { unit: baseUnit, isRounded: 'inline' });
    const isDust = best.baseAmount * 99n < others.reduce((sum, { baseAmount }) => sum + baseAmount, 0n);
    return isDust ? html`only ${amount} at this price` : html`for ${amount}`;
  };
  const [baseDecimals, quoteDecimals] = [currencyDecimals(site, labels, base), currencyDecimals(site, labels, quote)];
  const { market } = data;
  const priced = (ofBase: Atoms | null, ofQuote: Atoms | null) => {
    const ratio = priceInDirection({ base, quote, market: { base, quote } }, ofBase, ofQuote);
    return ratio && unitPrice(ratio, baseDecimals, quoteDecimals);
  };
  const last = market && priced(market.last_base, market.last_quote);
  const dayRange = (day: MarketRow) => {
    const high = priced(day.day_high_base, day.day_high_quote)!;
    const low = priced(day.day_low_base, day.day_low_quote)!;
    return tile(
      '24-hour high',
      amountHtml(high, { unit: quoteUnit, isRounded: true }),
      low.atoms !== high.atoms && html`low: ${amountHtml(low, { isRounded: 'inline' })}`,
    );
  };
  const volume = (atoms: Atoms, decimals: number, unit: Html, isRounded: true | 'inline') =>
    amountHtml(exactAmount(atoms, decimals), { unit, isRounded });
  return tiles([
    tile(
      'Last price',
      last ? amountHtml(last, { unit: quoteUnit, isRounded: true }) : html`<span class="muted">no trades</span>`,
      last && market && dayChange(site, market),
    ),
    market !== null && market.day_trades > 0 && dayRange(market),
    market &&
      tile(
        'Volume, 24 h',
        volume(market.day_quote_volume, quoteDecimals, quoteUnit, true),
        // Beside the short link of a ticker nothing else can be pressed.
        volume(market.day_base_volume, baseDecimals, baseUnit, 'inline'),
      ),
    tile('Best bid', price(buys[0]), left(buys)),
    tile('Best ask', price(sells[0]), left(sells)),
  ]);
}
