/** `/market/{pair}`: the order book of two currencies, with its depth as a chart. */
import { notFound } from '../../api/errors/api-error.ts';
import { shownEntries } from '../../api/pagination/list-result.ts';
import { type ListPage, rowRange } from '../../api/pagination/paging.ts';
import { type Ratio, reducedRatio } from '../../api/present/order.ts';
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Atoms } from '../../chain/types.ts';
import { type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders.ts';
import {
  type BookSelection,
  type LevelKey,
  PRICE_LEVEL_LIST,
  type PriceLevelRow,
} from '../../store/queries/price-levels.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, type PageRequest, sameTip } from '../page.ts';
import { AMOUNT_COLUMN, amount, count, type ExactAmount, exactAmount, fractionLength } from '../parts/amount.ts';
import { type ChartPoint, depthChart } from '../parts/chart.ts';
import { currencyText, currencyUnit } from '../parts/currency.ts';
import { tile, tiles } from '../parts/facts.ts';
import { orderTable } from '../parts/order-table.ts';
import { cursorOf, paging, parseListPage } from '../parts/paging.ts';
import { marketLink, marketPath, pairName } from '../parts/pair.ts';
import { exactRatio, unitPrice } from '../parts/price.ts';
import { table } from '../parts/table.ts';
import { tokensOf, tokensOfOrders } from '../read/order-facts.ts';
import { visitorPair } from '../read/visitor-ids.ts';
import type { Site } from '../site.ts';

/** `ask` orders ask for base, so they buy it; `bid` orders give it. */
type Side = BookSelection['side'];

interface MarketParams {
  readonly base: Currency;
  readonly quote: Currency;
  /** The cursors `buys` and `sells` lead through the sides of the book. */
  readonly buys: ListPage<LevelKey>;
  readonly sells: ListPage<LevelKey>;
}

interface MarketData {
  readonly tip: SnapshotTip;
  readonly buys: readonly PriceLevelRow[];
  readonly sells: readonly PriceLevelRow[];
  readonly orders: readonly OrderRow[];
  readonly labels: TokenLabels;
}

/** A level in terms of the pair. */
interface Level {
  /** Quote atoms for one base atom. */
  readonly price: Ratio;
  readonly base: ExactAmount;
  readonly baseDecimals: number;
  readonly wholePrice: ExactAmount;
  readonly orderCount: number;
}

const LEVELS = '50';
const NEWEST_ORDERS = 10;

export function marketPage({ site }: Explorer): AnyPage {
  const { network } = site;
  return definePage<MarketParams, MarketData>({
    path: '/market/:pair',
    parse: ({ params, query }) => {
      const [base, quote] = visitorPair(network, params.pair!);
      const sideOf = (side: Side, cursor: PageRequest['query'][string]) =>
        parseListPage({ cursor, items: query.items }, PRICE_LEVEL_LIST, { base, quote, side, order: 'best' }, LEVELS);
      return { base, quote, buys: sideOf('ask', query.buys), sells: sideOf('bid', query.sells) };
    },
    read: async (store, { base, quote, buys, sells }) => {
      const pair = { base, quote, order: 'best' } as const;
      const [bought, sold, orders] = await Promise.all([
        PRICE_LEVEL_LIST.read(store, { ...pair, side: 'ask', ...rowRange(buys) }),
        PRICE_LEVEL_LIST.read(store, { ...pair, side: 'bid', ...rowRange(sells) }),
        PAIR_ORDER_LIST.read(store, { pair: [base, quote], after: null, limit: NEWEST_ORDERS }),
      ]);
      const tip = sameTip(bought, sold, orders);
      if (!bought.rows[0]!.exists) {
        throw notFound('There is no such market: one of its currencies is a token that was never issued');
      }
      const tokens = [...tokensOf([base, quote]), ...tokensOfOrders(orders.rows)];
      const labels = await readTokenLabels(store, tip, tokens);
      return { tip, buys: bought.rows, sells: sold.rows, orders: orders.rows, labels };
    },
    render: (data, params) => {
      const { base, quote } = params;
      const name = pairName(network, base, quote);
      const [baseText, quoteText] = [base, quote].map((side) => currencyText(site, data.labels, side));
      const isFirst = params.buys.after === null && params.sells.after === null;
      const book = `/order/pair/${name}/book`;
      return {
        title: `${baseText} in ${quoteText}`,
        description: `The order book of ${baseText} in ${quoteText} on Mintlayer ${network.name} at block ${data.tip.height}: what is bought and sold at which price.`,
        section: 'orders',
        canonical: marketPath(network, base, quote),
        isUnlisted: !isFirst,
        api: [`${book}?side=ask`, `${book}?side=bid`, `/order/pair/${name}`],
        body: marketBody(site, data, params),
      };
    },
  });
}

function marketBody(site: Site, data: MarketData, params: MarketParams): Html {
  const { base, quote } = params;
  const { labels } = data;
  const buys = sideOf(site, data, params, 'ask');
  const sells = sideOf(site, data, params, 'bid');
  const baseUnit = currencyUnit(site, labels, base);
  const quoteUnit = currencyUnit(site, labels, quote);
  const baseText = currencyText(site, labels, base);
  const pair = pairName(site.network, base, quote);
  const isFirst = params.buys.after === null && params.sells.after === null;
  return html`<h1>${baseUnit} in ${quoteUnit}</h1><p class="lead">What is bought and sold on the chain by orders. ${marketLink(site, quote, base, 'The other way round')}</p>${isFirst && bestPrices(buys.levels, sells.levels, quoteUnit, baseUnit)}${isFirst && depth(site, data, params, buys.levels, sells.levels)}<div class="columns">${sideTable(
    site,
    params,
    {
      ...buys,
      title: `Orders that buy ${baseText}`,
      note: html`The highest price first: what somebody who sells ${baseUnit} gets.`,
      empty: `No open order buys ${baseText} for ${currencyText(site, labels, quote)}.`,
      labels,
    },
  )}${sideTable(site, params, {
    ...sells,
    title: `Orders that sell ${baseText}`,
    note: html`The lowest price first: what somebody who buys ${baseUnit} pays.`,
    empty: `No open order sells ${baseText} for ${currencyText(site, labels, quote)}.`,
    labels,
  })}</div><div class="heading"><h2>Newest open orders</h2><a href="${site.href('/orders', { pair })}">All open orders of the pair</a></div>${orderTable(
    site,
    labels,
    data.orders,
    { caption: 'Newest open orders of the pair', empty: 'No order between the two is open.' },
  )}`;
}

interface SideOfBook {
  readonly side: Side;
  readonly levels: readonly Level[];
  readonly nextCursor: string | null;
  readonly isFirst: boolean;
}

function sideOf(site: Site, data: MarketData, params: MarketParams, side: Side): SideOfBook {
  const { base, quote } = params;
  const page = side === 'ask' ? params.buys : params.sells;
  const rows = side === 'ask' ? data.buys : data.sells;
  const { entries, nextCursor } = shownEntries(PRICE_LEVEL_LIST, page, rows);
  const decimalsOf = (currency: Currency, ofToken: number | null) =>
    currency === COIN ? site.network.coinDecimals : (ofToken ?? 0);
  const levels = entries.map((row): Level => {
    const [baseAtoms, quoteAtoms] =
      side === 'ask' ? [row.ask_balance, row.give_balance] : [row.give_balance, row.ask_balance];
    const [ofBase, ofQuote] =
      side === 'ask' ? [row.ask_decimals, row.give_decimals] : [row.give_decimals, row.ask_decimals];
    const price = reducedRatio(quoteAtoms, baseAtoms);
    const baseDecimals = decimalsOf(base, ofBase);
    return {
      price,
      base: exactAmount(baseAtoms, baseDecimals),
      baseDecimals,
      wholePrice: unitPrice(price, baseDecimals, decimalsOf(quote, ofQuote)),
      orderCount: row.order_count,
    };
  });
  return { side, levels, nextCursor, isFirst: page.after === null };
}

function bestPrices(buys: readonly Level[], sells: readonly Level[], quoteUnit: Html, baseUnit: Html): Html {
  const price = (level: Level | undefined) =>
    level === undefined ? html`<span class="muted">no orders</span>` : amount(level.wholePrice, { unit: quoteUnit });
  const left = (level: Level | undefined) => level && html`for ${amount(level.base, { unit: baseUnit })}`;
  return tiles([
    tile('Highest price that is paid', price(buys[0]), left(buys[0])),
    tile('Lowest price that is asked', price(sells[0]), left(sells[0])),
  ]);
}

function sideTable(
  site: Site,
  { base, quote, buys, sells }: MarketParams,
  {
    side,
    levels,
    nextCursor,
    isFirst,
    title,
    note,
    empty,
    labels,
  }: SideOfBook & { readonly title: string; readonly note: Html; readonly empty: string; readonly labels: TokenLabels },
): Html {
  const baseText = currencyText(site, labels, base);
  const quoteText = currencyText(site, labels, quote);
  const priceFraction = fractionLength(levels.map(({ wholePrice }) => wholePrice));
  const baseFraction = fractionLength(levels.map((level) => level.base));
  const sums = runningSums(levels);
  const id = side === 'ask' ? 'buys' : 'sells';
  // The other side stays where it is.
  const [otherName, other] = side === 'ask' ? ['sells', sells] : ['buys', buys];
  const pages = paging(site, marketPath(site.network, base, quote), {
    isFirst,
    nextCursor,
    parameter: id,
    query: {
      [otherName]: cursorOf(PRICE_LEVEL_LIST, other),
      items: other.limit === Number(LEVELS) ? undefined : String(other.limit),
    },
    anchor: id,
    label: `Pages of ${title}`,
  });
  return html`<section><h2>${title}</h2><p class="muted">${note}</p>${table({
    caption: title,
    isCaptionHidden: true,
    id,
    columns: [
      { label: `Price, ${quoteText}`, kind: AMOUNT_COLUMN },
      { label: `Amount, ${baseText}`, kind: AMOUNT_COLUMN },
      ...(isFirst ? [{ label: `Sum, ${baseText}`, kind: AMOUNT_COLUMN } as const] : []),
      { label: 'Orders', kind: AMOUNT_COLUMN },
      { label: 'Exact price, atoms' },
    ],
    rows: levels.map((level, i) => [
      amount(level.wholePrice, { fraction: priceFraction }),
      amount(level.base, { fraction: baseFraction }),
      ...(isFirst ? [amount(exactAmount(sums[i]!, level.baseDecimals), { fraction: baseFraction })] : []),
      count(level.orderCount),
      exactRatio(level.price),
    ]),
    empty,
  })}${pages}</section>`;
}

/** What the levels up to each offer together. */
function runningSums(levels: readonly Level[]): Atoms[] {
  let sum = 0n;
  return levels.map(({ base }) => {
    sum += base.atoms;
    return sum;
  });
}

/** Prices are on a logarithmic scale: a few are often far from the rest. */
function depth(
  site: Site,
  { labels }: MarketData,
  { base, quote }: MarketParams,
  buys: readonly Level[],
  sells: readonly Level[],
): Html | null {
  if (buys.length + sells.length === 0) return null;
  const baseText = currencyText(site, labels, base);
  const quoteText = currencyText(site, labels, quote);
  const bids = depthPoints(buys).reverse();
  const asks = depthPoints(sells);
  const xs = [...bids, ...asks].map(({ x }) => x);
  const margin = (Math.max(...xs) - Math.min(...xs)) * 0.03 || 0.03;
  if (bids[0]) bids.unshift({ ...bids[0], x: bids[0].x - margin });
  const last = asks.at(-1);
  if (last) asks.push({ ...last, x: last.x + margin });
  const byPrice = [...buys.toReversed(), ...sells].toSorted((a, b) => logarithm(a) - logarithm(b));
  const priceText = (level: Level) => `${level.wholePrice.decimal} ${quoteText}`;
  const lowest = priceText(byPrice[0]!);
  const highest = priceText(byPrice.at(-1)!);
  const chart = depthChart({
    title: `Depth of ${baseText} in ${quoteText}`,
    description: `From ${lowest} to ${highest} for one ${baseText}, on a logarithmic scale: how much ${baseText} is bought at a price or above (left), and sold at a price or below (right).`,
    bids,
    asks,
    from: lowest,
    to: highest,
    label: (y) => `${SHORT.format(y)} ${baseText}`,
    values: html`<p>Every level with its sum is in the tables below, ${marketLevels(buys, 'bought')} and ${marketLevels(sells, 'sold')}. Prices are on a logarithmic scale.</p>`,
    empty: '',
  });
  return html`<div class="depth">${chart}</div>`;
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

function marketLevels({ length }: readonly Level[], what: string): string {
  return `${length} ${length === 1 ? 'price' : 'prices'} at which it is ${what}`;
}

/** From the best price on. */
function depthPoints(levels: readonly Level[]): ChartPoint[] {
  const sums = runningSums(levels);
  return levels.map((level, i) => ({ x: logarithm(level), y: Number(sums[i]!) / 10 ** level.baseDecimals }));
}

function logarithm({ price: { numerator, denominator } }: Level): number {
  return Math.log10(Number(numerator)) - Math.log10(Number(denominator));
}
