/** `/market/{pair}`: the prices, the trades and the order book of two currencies, with its depth as a chart. */

import { lastQueryValue } from '../../api/parse/parameters.ts';
import { estimateFill, MOST_LEVELS, type TakerSide } from '../../api/present/fill-estimate.ts';
import { marketInDirection, pricedIn, requestedPair, shownFill } from '../../api/present/market.ts';
import { bookLevelOf, decimalsOfBook, isCrossed, type PriceRatio, takenBook } from '../../api/present/order.ts';
import { type Freezing, freezingOf, readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import { pairName } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
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
import {
  type BookSelection,
  type LevelEntryRow,
  PRICE_LEVEL_LIST,
  type PriceLevelRow,
} from '../../store/queries/orders/price-levels.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageRequest } from '../define-page.ts';
import { Attributes, Html, html } from '../html.ts';
import { badInput, notThere } from '../page-error.ts';
import { amountColumn, amountHtml, countHtml, DASH_HTML, exactAmount } from '../parts/amount.ts';
import { runningSums, type ShownLevel, shownLevels } from '../parts/book-levels.ts';
import { marketCandles } from '../parts/candles.ts';
import { type ChartPoint, depthChart } from '../parts/chart.ts';
import { currencyDecimals, currencyText, currencyUnit } from '../parts/currency.ts';
import { heightLink } from '../parts/id-links.ts';
import { roundNumber } from '../parts/number.ts';
import { orderTable } from '../parts/order-table.ts';
import { pagingLinks, parseListPage, readListPage, type ShownPage } from '../parts/paging.ts';
import { banner, tile, tiles } from '../parts/properties-and-badges.ts';
import { inCard, numberColumn, table } from '../parts/table.ts';
import { frozenBadge } from '../parts/token.ts';
import { tradeTable } from '../parts/trade-table.ts';
import { changeHtml, exactUnitPrice, marketLink, marketPath, unitPrice } from '../parts/trading-pair.ts';
import { watchedHeading } from '../parts/watch.ts';
import { tokensOfCurrencies, tokensOfOrders } from '../read/order-values.ts';
import { parseVisitorPair, readTypedAmount } from '../read/visitor-input.ts';
import type { Site } from '../site-urls.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { decimalIn } from '../words/formats.ts';

/** `ask` orders ask for the base currency, so they buy it; `bid` orders give it. */
type Side = BookSelection['side'];

interface MarketData {
  readonly base: Currency;
  readonly quote: Currency;
  /** The names of the currencies, for sentences and labels. */
  readonly baseText: string;
  readonly quoteText: string;
  readonly buys: SideOfBook;
  readonly sells: SideOfBook;
  readonly orders: readonly OrderRow[];
  readonly trades: ShownPage<FillEntryRow>;
  readonly interval: CandleInterval;
  readonly candles: readonly CandleEntryRow[];
  /** Null without trades and open orders. */
  readonly market: MarketRow | null;
  /** The form for an amount, and what it would cost. */
  readonly size: Html;
  readonly isSizeAsked: boolean;
  readonly labels: TokenLabels;
  /** Price levels per page and side, if not the default. */
  readonly items: string | undefined;
}

interface SideOfBook extends Omit<ShownPage<unknown>, 'entries'> {
  readonly levels: readonly ShownLevel[];
}

const LEVELS = '15';
const NEWEST_ORDERS = 10;
const TRADES = '15';
const CANDLES = 90;

export function marketPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/market/:pair',
    parse: ({ params, query }) => {
      const [base, quote] = parseVisitorPair(network, params.pair!);
      const sideOf = (side: Side, cursor: PageRequest['query'][string]) =>
        parseListPage({ cursor, items: query.items }, PRICE_LEVEL_LIST, { base, quote, side, order: 'best' }, LEVELS);
      const { market } = requestedPair([base, quote]);
      const trades = parseListPage({ cursor: query.trades }, TRADE_LIST, { market, range: WHOLE_CHAIN }, TRADES);
      const interval = parseInterval(query.interval);
      return {
        ...{ base, quote, interval, trades, asked: askedSize(query) },
        ...{ buys: sideOf('ask', query.buys), sells: sideOf('bid', query.sells) },
      };
    },
    read: async (store, { base, quote, buys, sells, trades, interval, asked }) => {
      const pair = { base, quote, order: 'best' } as const;
      const { market } = requestedPair([base, quote]);
      const [bought, sold, orders, traded, candles, found, taken] = await Promise.all([
        readListPage(store, PRICE_LEVEL_LIST, buys, { ...pair, side: 'ask' }),
        readListPage(store, PRICE_LEVEL_LIST, sells, { ...pair, side: 'bid' }),
        PAIR_ORDER_LIST.read(store, { pair: [base, quote], after: null, limit: NEWEST_ORDERS }),
        readListPage(store, TRADE_LIST, trades, { market, range: WHOLE_CHAIN }),
        CANDLE_LIST.read(store, { market, interval, from: null, to: null, after: null, limit: CANDLES }),
        getMarket(store, market.base, market.quote),
        PRICE_LEVEL_LIST.read(store, {
          ...takenBook(base, quote, asked.side),
          after: null,
          limit: asked.amount === '' ? 1 : MOST_LEVELS,
        }),
      ]);
      const tip = requireSameTip(bought, sold, orders, traded, candles, found, taken);
      if (!traded.rows[0]!.exists) {
        throw notThere('There is no such market: one of its currencies is a token that was never issued.', tip);
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
        market: shown,
        taken,
      };
    },
    render: (
      { tip, bought, sold, orders, labels, trades, candles, market, taken },
      { base, quote, buys, interval, asked },
    ) => {
      const name = pairName(network, base, quote);
      const baseText = currencyText(site, labels, base);
      const quoteText = currencyText(site, labels, quote);
      const pair = { base, quote };
      const data: MarketData = {
        ...pair,
        baseText,
        quoteText,
        buys: sideOf(site, pair, 'ask', bought),
        sells: sideOf(site, pair, 'bid', sold),
        orders,
        trades,
        interval,
        candles,
        market,
        isSizeAsked: asked.amount !== '',
        size: sizeForm(site, labels, { base, quote, interval }, asked, taken.rows),
        labels,
        items: buys.limit === Number(LEVELS) ? undefined : String(buys.limit),
      };
      const book = `/order/pair/${name}/book`;
      return {
        title: say('{baseText} in {quoteText}', { baseText, quoteText }),
        description: say(
          'Prices, trades and order book of {baseText} in {quoteText} on Mintlayer {network} at block {height}.',
          { baseText, quoteText, network: network.name, height: tip.height },
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
  banner(
    html`The order book is crossed: the best bid is not below the best ask. The chain does not match orders with each other; whoever fills both has the difference.`,
  );

function marketBody(site: Site, data: MarketData): Html {
  const { base, quote, baseText, quoteText, buys, sells, labels } = data;
  const baseUnit = currencyUnit(site, labels, base);
  const quoteUnit = currencyUnit(site, labels, quote);
  const freezing = freezingOf([labels.get(base), labels.get(quote)]);
  const pair = pairName(site.network, base, quote);
  const isFirst = buys.isFirst && sells.isFirst && data.trades.isFirst;
  const isBookCrossed = buys.isFirst && sells.isFirst && isCrossed(buys.levels[0]?.price, sells.levels[0]?.price);
  const bids = sideTable(site, data, 'buys', {
    title: say('Bids: orders that buy {baseText}', { baseText }),
    note: html`Highest price first: what a seller of ${baseUnit} receives.`,
    empty: say('There are no open orders that buy {baseText} for {quoteText}.', { baseText, quoteText }),
  });
  const asks = sideTable(site, data, 'sells', {
    title: say('Asks: orders that sell {baseText}', { baseText }),
    note: html`Lowest price first: what a buyer of ${baseUnit} pays.`,
    empty: say('There are no open orders that sell {baseText} for {quoteText}.', { baseText, quoteText }),
  });
  const newest = orderTable(site, labels, data.orders, {
    caption: 'Newest open orders of the pair',
    empty: 'There are no open orders of the pair.',
  });
  const shown = !data.trades.isFirst ? 'trades' : !isFirst || data.isSizeAsked ? 'book' : null;
  return html`${watchedHeading(site, 'market', pair, html`<h1>${html`${baseUnit} in ${quoteUnit}`} ${frozenBadge(freezing)}</h1>`)}<p class="lead">Trades and open orders on the chain. ${marketLink(site, quote, base, html`Inverse pair`)}</p>${isBookCrossed && crossed()}${isFirst && bestPrices(site, data, quoteUnit, baseUnit)}${tabs(shown)}<div class="market">${isFirst && prices(site, data)}<div class="book">${data.size}${asks}${bids}</div>${isFirst && depth(data)}${tradesOf(site, data)}<section id="orders"><div class="heading"><h2>Newest open orders</h2><a href="${site.href('/orders', { pair })}">All open orders of the pair</a></div>${newest}</section></div>`;
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

interface AskedSize {
  readonly side: TakerSide;
  /** Of base, as it was typed; empty if nothing was asked. */
  readonly amount: string;
}

const askedSize = (query: PageRequest['query']): AskedSize => ({
  side: lastQueryValue(query, 'side') === 'sell' ? 'sell' : 'buy',
  amount: lastQueryValue(query, 'amount')?.trim() ?? '',
});

function sizeForm(
  site: Site,
  labels: TokenLabels,
  { base, quote, interval }: Pick<MarketData, 'base' | 'quote' | 'interval'>,
  asked: AskedSize,
  rows: readonly PriceLevelRow[],
): Html {
  const { side, amount } = asked;
  const option = (value: TakerSide, text: Words) =>
    html`<option${Attributes.of({ value, selected: value === side })}>${textOf(text)}</option>`;
  const unit = currencyText(site, labels, base);
  const freezing = freezingOf([labels.get(base), labels.get(quote)]);
  const frozen = freezing && banner(frozenWords(site, freezing), 'bad');
  if (freezing?.isForEver === true) return html`<section id="size"><h2>What an amount costs</h2>${frozen}</section>`;
  const kept = interval !== 'hour' && html`<input type="hidden" name="interval" value="${interval}">`;
  return html`<section id="size"><h2>What an amount costs</h2>${frozen}<form class="filter" data-in-place method="get" action="${site.href(marketPath(site.network, base, quote), {}, '#size')}">${kept}<label><span class="sr">Side</span><select name="side">${option('buy', 'Buy')}${option('sell', 'Sell')}</select></label><label>${unit} <input name="amount" inputmode="decimal" autocomplete="off" size="10" maxlength="60" value="${amount}"></label><button type="submit">Show</button></form>${amount !== '' && sizeWords(site, labels, takenBook(base, quote, side), asked, rows)}</section>`;
}

function frozenWords(site: Site, { since, isForEver }: Freezing): Html {
  const block = heightLink(site, since);
  return isForEver
    ? html`Frozen for ever since block ${block}: these orders can never be filled.`
    : html`Frozen since block ${block}: these orders cannot be filled now.`;
}

/** Says what an amount costs or brings; or what is wrong with it. */
function sizeWords(
  site: Site,
  labels: TokenLabels,
  book: BookSelection,
  { side, amount }: AskedSize,
  rows: readonly PriceLevelRow[],
): Html {
  const decimals = decimalsOfBook(site.network, book, rows[0]!);
  const [baseUnit, quoteUnit] = [currencyUnit(site, labels, book.base), currencyUnit(site, labels, book.quote)];
  const { atoms, problem } = readTypedAmount(amount, {
    decimals: decimals.base,
    unit: currencyText(site, labels, book.base),
  });
  if (problem !== null || atoms === null) return html`<p class="bad">${problem !== null && textOf(problem)}</p>`;
  const levels = rows.filter((row) => PRICE_LEVEL_LIST.isEntry(row)).map((row) => bookLevelOf(site.network, book, row));
  if (atoms === 0n) return html`<p class="bad">Enter an amount above 0.</p>`;
  const { filled, unfilled, total, average, worst } = estimateFill(levels, side, atoms);
  const ofBase = (value: Atoms) => amountHtml(exactAmount(value, decimals.base), { unit: baseUnit });
  const price = (ratio: PriceRatio) => amountHtml(unitPrice(ratio, decimals.base, decimals.quote), { isRounded: true });
  const missing = unfilled > 0n && html`<div class="bad">The book cannot fill ${ofBase(unfilled)}.</div>`;
  if (worst === null) return html`${missing}`;
  const paid = amountHtml(exactAmount(total, decimals.quote), { unit: quoteUnit });
  const values = [ofBase(filled), paid, average && price(average), price(worst)] as const;
  const words =
    side === 'buy'
      ? html`Buying ${values[0]} costs ${values[1]}: ${values[2]} on average, ${values[3]} at worst.`
      : html`Selling ${values[0]} brings ${values[1]}: ${values[2]} on average, ${values[3]} at worst.`;
  return html`<div>${words}</div>${missing}`;
}

function sideOf(
  site: Site,
  pair: Pick<MarketData, 'base' | 'quote'>,
  side: Side,
  { entries, ...place }: ShownPage<LevelEntryRow>,
): SideOfBook {
  const levels = shownLevels(entries.map((row) => bookLevelOf(site.network, { ...pair, side, order: 'best' }, row)));
  return { levels, ...place };
}

/** Returns the interval of a request; hours by default. */
function parseInterval(text: PageRequest['query'][string]): CandleInterval {
  const interval = CANDLE_INTERVALS.find((known) => known === (text ?? 'hour'));
  if (interval === undefined) throw badInput('Prices are shown by hour, day or week.');
  return interval;
}

const BY_INTERVAL = { hour: 'by hour', day: 'by day', week: 'by week' } as const;

function prices(site: Site, { base, quote, labels, interval, candles }: MarketData): Html {
  const path = marketPath(site.network, base, quote);
  const links = CANDLE_INTERVALS.map((each) =>
    each === interval
      ? html` <strong aria-current="true">${textOf(BY_INTERVAL[each])}</strong>`
      : html` <a href="${site.href(path, { interval: each === 'hour' ? undefined : each })}">${textOf(BY_INTERVAL[each])}</a>`,
  );
  return html`<section class="prices" aria-labelledby="prices"><div class="heading"><h2 id="prices">Prices</h2><nav aria-label="Intervals">${links}</nav></div>${marketCandles(site, labels, requestedPair([base, quote]), interval, candles)}</section>`;
}

function tradesOf(site: Site, { base, quote, baseText, quoteText, labels, trades, interval, items }: MarketData): Html {
  const name = pairName(site.network, base, quote);
  const pages = pagingLinks(site, marketPath(site.network, base, quote), trades, {
    parameter: 'trades',
    query: { interval: interval === 'hour' ? undefined : interval, items },
    anchor: 'trades',
    label: 'Pages of trades',
  });
  const rows = tradeTable(site, labels, requestedPair([base, quote]), trades.entries, {
    caption: 'Trades, newest first',
    empty: say('There has been no trade of {baseText} for {quoteText} yet.', { baseText, quoteText }),
  });
  return html`<section id="trades"><div class="heading"><h2>Trades</h2><a href="${site.api(`/order/pair/${name}/trades?format=csv`)}" rel="nofollow" download>All as CSV</a></div>${rows}${pages}</section>`;
}

function bestPrices(site: Site, data: MarketData, quoteUnit: Html, baseUnit: Html): Html {
  const { base, quote, labels } = data;
  const [buys, sells] = [data.buys.levels, data.sells.levels];
  const none = html`<span class="muted">no orders</span>`;
  const price = (level: ShownLevel | undefined) =>
    level ? amountHtml(level.wholePrice, { unit: quoteUnit, isRounded: true }) : none;
  const left = (level: ShownLevel | undefined) =>
    level && html`for ${amountHtml(level.base, { unit: baseUnit, isRounded: true })}`;
  const [newest] = data.trades.entries;
  const last = newest && shownFill(requestedPair([base, quote]), newest).price;
  const [baseDecimals, quoteDecimals] = [currencyDecimals(site, labels, base), currencyDecimals(site, labels, quote)];
  const lastPrice =
    last && amountHtml(unitPrice(last, baseDecimals, quoteDecimals), { unit: quoteUnit, isRounded: true });
  const { market } = data;
  const extreme = (ofBase: Atoms | null, ofQuote: Atoms | null) => {
    const found = pricedIn({ base, quote, market: { base, quote } }, ofBase, ofQuote);
    return found === null
      ? DASH_HTML
      : amountHtml(unitPrice(found, baseDecimals, quoteDecimals), { unit: quoteUnit, isRounded: true });
  };
  const volume = (atoms: Atoms, decimals: number, unit: Html) =>
    amountHtml(exactAmount(atoms, decimals), { unit, isRounded: true });
  return tiles([
    tile('Last price', lastPrice ?? html`<span class="muted">no trades</span>`),
    market && tile('Change, 24 h', changeHtml(market.day_change)),
    market && tile('High, 24 h', extreme(market.day_high_base, market.day_high_quote)),
    market && tile('Low, 24 h', extreme(market.day_low_base, market.day_low_quote)),
    market &&
      tile(
        'Volume, 24 h',
        volume(market.day_quote_volume, quoteDecimals, quoteUnit),
        volume(market.day_base_volume, baseDecimals, baseUnit),
      ),
    tile('Best bid', price(buys[0]), left(buys[0])),
    tile('Best ask', price(sells[0]), left(sells[0])),
  ]);
}

function sideTable(
  site: Site,
  { items, base, quote, baseText, quoteText, ...sides }: MarketData,
  id: 'buys' | 'sells',
  { title, note, empty }: { readonly title: Words; readonly note: Html; readonly empty: Words },
): Html {
  const shown = sides[id];
  const sums = runningSums(shown.levels);
  const levels = shown.levels.map((level, i) => ({ ...level, total: exactAmount(sums[i]!, level.baseDecimals) }));
  const other = id === 'buys' ? 'sells' : 'buys';
  // Paging through one side keeps the page of the other.
  const pages = pagingLinks(site, marketPath(site.network, base, quote), shown, {
    parameter: id,
    query: { [other]: sides[other].cursor, items },
    anchor: id,
    label: say('Pages of {title}', { title: textOf(title) }),
  });
  return html`<section><h2>${textOf(title)}</h2><p class="muted">${note}</p>${table(levels, {
    caption: title,
    id,
    columns: [
      amountColumn(say('Price, {quoteText}', { quoteText }), ({ wholePrice }) => wholePrice, {
        more: ({ price, worst, baseDecimals, quoteDecimals }) => {
          const [exact, last] = [price, worst].map(
            (each) => new Html(`<code>${exactUnitPrice(each, baseDecimals, quoteDecimals)}</code>`),
          );
          return exact!.text === last!.text
            ? html`<br>exactly ${exact} ${quoteText} per ${baseText}`
            : html`<br>exactly from ${exact} to ${last} ${quoteText} per ${baseText}`;
        },
      }),
      amountColumn(say('Amount, {baseText}', { baseText }), (level) => level.base),
      shown.isFirst && inCard.off(amountColumn(say('Total, {baseText}', { baseText }), ({ total }) => total)),
      inCard.off(numberColumn('Orders', ({ orderCount }) => countHtml(orderCount))),
    ],
    empty,
  })}${pages}</section>`;
}

/** Renders the depth chart. Its price axis is logarithmic, because a few prices are often far from the rest. */
function depth({ baseText, quoteText, ...data }: MarketData): Html | null {
  const [buys, sells] = [data.buys.levels, data.sells.levels];
  if (buys.length + sells.length === 0) return null;
  const points = (levels: readonly ShownLevel[], where: keyof typeof DEPTHS) => {
    const sums = runningSums(levels);
    return levels.map((level, i): ChartPoint => {
      const total = decimalText(sums[i]!, level.baseDecimals);
      return {
        x: logarithm(level),
        name: `${decimalIn(roundNumber(level.wholePrice.decimal))} ${quoteText}`,
        value: textOf(say(DEPTHS[where], { total, baseText })),
      };
    });
  };
  const bids = points(buys, 'bids').reverse();
  const asks = points(sells, 'asks');
  const byPrice = [...bids, ...asks].toSorted((a, b) => a.x - b.x);
  const chart = depthChart({
    title: say('Market depth of {baseText} in {quoteText}, {baseText}', { baseText, quoteText }),
    description: say(
      'From {name} to {name2} for one {baseText}, on a logarithmic scale: total bids at a price or above (left), total asks at a price or below (right).',
      { name: byPrice[0]!.name, name2: byPrice.at(-1)!.name, baseText },
    ),
    bids,
    asks,
    values: html`<p>The book has every price level with its total: ${levelCount('bids', buys)} and ${levelCount('asks', sells)}. Prices are on a logarithmic scale.</p>`,
  });
  return html`<section class="depth" aria-labelledby="depth"><h2 id="depth">Depth</h2>${chart}</section>`;
}

/** They begin with the number that is drawn. */
const DEPTHS = {
  bids: '{total} {baseText} in bids at this price or more',
  asks: '{total} {baseText} in asks at this price or less',
} as const;

function levelCount(side: keyof typeof DEPTHS, { length: count }: readonly ShownLevel[]): string {
  if (side === 'bids') return textOf(count === 1 ? '1 bid price' : say('{count} bid prices', { count }));
  return textOf(count === 1 ? '1 ask price' : say('{count} ask prices', { count }));
}

function logarithm({ price: { numerator, denominator } }: ShownLevel): number {
  return Math.log10(Number(numerator)) - Math.log10(Number(denominator));
}
