/** The order book of a market as its page shows it: a ladder of price levels, and the depth chart. */
import { type BookLevel, bookLevelOf } from '../../answers/order-book.ts';
import { type PriceRatio, priceDifference } from '../../answers/price-ratio.ts';
import type { Currency } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import {
  type BookSelection,
  PRICE_LEVEL_LIST,
  type PriceLevelEntryRow,
  type PriceLevelRow,
} from '../../store/queries/orders/price-levels.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/query.ts';
import { Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { DEPTH_STEPS } from '../style-sheet.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { amountColumn, amountHtml, countHtml, type ExactAmount, exactAmount } from './amount.ts';
import { type ChartPoint, depthChart } from './chart.ts';
import { percentage, roundNumber } from './number.ts';
import { type PageOnWay, pageOfRows, pagingLinks, type ShownPage } from './paging.ts';
import { inCard, numberColumn, table } from './table.ts';
import { exactUnitPrice, marketPath, unitPrice } from './trading-pair.ts';

export interface ShownBook {
  readonly base: Currency;
  readonly quote: Currency;
  /** The names of the currencies, for sentences and labels. */
  readonly baseText: string;
  readonly quoteText: string;
  readonly buys: SideOfBook;
  readonly sells: SideOfBook;
  /** Price levels per page and side, if not the default. */
  readonly items: string | undefined;
}

interface SideOfBook extends Omit<ShownPage<unknown>, 'entries'> {
  readonly levels: readonly ShownLevel[];
}

/** One level, or several that follow each other, with their amounts and orders together. Its price is that of the best. */
export interface ShownLevel extends BookLevel {
  /** The price of the worst. */
  readonly worst: PriceRatio;
  readonly wholePrice: ExactAmount;
  readonly base: ExactAmount;
  /** The number of levels by exact price. */
  readonly exactCount: number;
}

/** `levels`: the best first. */
export function shownLevels(levels: readonly BookLevel[]): readonly ShownLevel[] {
  const shown: ShownLevel[] = [];
  for (const level of levels) {
    const { baseDecimals, quoteDecimals, price: worst } = level;
    const wholePrice = unitPrice(worst, baseDecimals, quoteDecimals);
    const last = shown.at(-1);
    const isAdded = last !== undefined && roundNumber(last.wholePrice.decimal) === roundNumber(wholePrice.decimal);
    const first = isAdded ? last : { ...level, wholePrice, baseAmount: 0n, orderCount: 0, exactCount: 0 };
    const baseAmount = first.baseAmount + level.baseAmount;
    const orderCount = first.orderCount + level.orderCount;
    const base = exactAmount(baseAmount, baseDecimals);
    if (isAdded) shown.pop();
    shown.push({ ...first, worst, baseAmount, orderCount, base, exactCount: first.exactCount + 1 });
  }
  return shown;
}

/** The levels by exact price that are read for one that is shown: prices that round alike are one. */
const EXACT_LEVELS = 5;

/** Reads a page of a side, which ends where a shown level ends. */
export async function readBookSide(
  { network }: Site,
  store: QueryRunner,
  page: PageOnWay<{ readonly price: Atoms }>,
  book: BookSelection,
): Promise<SnapshotRows<PriceLevelRow> & ShownPage<PriceLevelEntryRow> & SideOfBook> {
  const limit = page.limit * EXACT_LEVELS;
  const read = await PRICE_LEVEL_LIST.read(store, { ...book, after: page.after, limit: limit + 1 });
  const entries = read.rows.filter((row) => PRICE_LEVEL_LIST.isEntry(row)).slice(0, limit);
  const levels = shownLevels(entries.map((row) => bookLevelOf(network, book, row)));
  const isLastWhole = read.rows.length <= limit || levels.length === 1;
  const whole = levels.slice(0, Math.min(page.limit, isLastWhole ? levels.length : levels.length - 1));
  const exactCount = whole.reduce((sum, level) => sum + level.exactCount, 0);
  const shown = pageOfRows(PRICE_LEVEL_LIST, { ...page, limit: Math.max(1, exactCount) }, read.rows);
  return { ...read, ...shown, levels: whole };
}

/** Returns the cumulative amount at each level. */
function runningSums(levels: readonly BookLevel[]): Atoms[] {
  let sum = 0n;
  return levels.map(({ baseAmount }) => {
    sum += baseAmount;
    return sum;
  });
}

/** Renders both sides as a ladder: the best prices beside each other, with the spread between them, and the depth behind the rows. */
export function bookTable(site: Site, { items, base, quote, baseText, quoteText, buys, sells }: ShownBook): Html {
  const [bids, asks] = [buys, sells].map(({ levels }) => {
    const sums = runningSums(levels);
    return levels.map((level, i) => ({ ...level, sum: sums[i]! }));
  }) as [Rung[], Rung[]];
  const deepest = [bids, asks].reduce((most, side) => ((side.at(-1)?.sum ?? 0n) > most ? side.at(-1)!.sum : most), 1n);
  const depthOf = ({ sum }: Rung) => (sum * BigInt(DEPTH_STEPS)) / deepest;
  const rungs = [...asks.toReversed(), ...bids];
  const price = amountColumn<Rung>('Price', ({ wholePrice }) => wholePrice, {
    isPrice: true,
    more: ({ price, worst, baseDecimals, quoteDecimals }) => {
      const [exact, last] = [price, worst].map(
        (each) => new Html(`<code>${exactUnitPrice(each, baseDecimals, quoteDecimals)}</code>`),
      );
      return exact!.text === last!.text
        ? html`<br>exactly ${exact} ${quoteText} per ${baseText}`
        : html`<br>exactly from ${exact} to ${last} ${quoteText} per ${baseText}`;
    },
  });
  const pages = (id: 'buys' | 'sells', title: Words) => {
    const sides = { buys, sells };
    const other = id === 'buys' ? 'sells' : 'buys';
    // Paging through one side keeps the page of the other.
    const links = pagingLinks(site, marketPath(site.network, base, quote), sides[id], {
      parameter: id,
      query: { [other]: sides[other].cursor, items },
      anchor: id,
      of: title,
    });
    return links && html`<div class="pages"><span>${textOf(title)}</span>${links}</div>`;
  };
  const side = (of: 'ask' | 'bid', some: Words, none: Words, { length }: readonly Rung[]) =>
    html`<span class="${of}">${textOf(length > 0 ? some : none)}</span>`;
  return html`${table(rungs, {
    caption: say('Prices in {quoteText}, amounts in {baseText}', { baseText, quoteText }),
    isCaptionShown: true,
    id: 'order-book',
    halves: {
      ids: ['sells', 'buys'],
      first: asks.length,
      between: html`<div class="spread">${side('ask', '↑ Asks', 'No asks', asks)}${spreadOf(buys, sells)}${side('bid', '↓ Bids', 'No bids', bids)}</div>`,
    },
    columns: [
      {
        ...price,
        cells: (rows) =>
          price
            .cells(rows)
            .map((cell, i) => html`<span class="depth-bar d${String(depthOf(rows[i]!))}"></span>${cell}`),
      },
      amountColumn('Amount', (level) => level.base),
      buys.isFirst &&
        sells.isFirst &&
        inCard.off(amountColumn('Cumulative', ({ sum, baseDecimals }) => exactAmount(sum, baseDecimals))),
      inCard.off(numberColumn('Orders', ({ orderCount }) => countHtml(orderCount))),
    ],
    empty: 'There are no open orders.',
  })}<div class="toolbar">${pages('sells', 'Asks')}${pages('buys', 'Bids')}</div>`;
}

type Rung = ShownLevel & { readonly sum: Atoms };

/** Says how far the best bid and the best ask are from each other. */
function spreadOf(buys: SideOfBook, sells: SideOfBook): Html | null {
  const [bid, ask] = [buys.levels[0], sells.levels[0]];
  if (bid === undefined || ask === undefined || !buys.isFirst || !sells.isFirst) return null;
  const spread = priceDifference(ask.price, bid.price);
  if (spread.numerator <= 0n) return html`<strong>Crossed</strong>`;
  const shown = amountHtml(unitPrice(spread, ask.baseDecimals, ask.quoteDecimals), { isRounded: true });
  const share = percentage(spread.numerator * ask.price.denominator, ask.price.numerator * spread.denominator);
  return html`<span>Spread ${shown} (${share})</span>`;
}

/** Renders the depth chart; null for an empty book. Its price axis is logarithmic, because a few prices are often far from the rest. */
export function bookDepth({ baseText, quoteText, ...data }: ShownBook): Html | null {
  const [buys, sells] = [data.buys.levels, data.sells.levels];
  if (buys.length + sells.length === 0) return null;
  const points = (levels: readonly ShownLevel[], where: keyof typeof DEPTHS) => {
    const sums = runningSums(levels);
    return levels.map((level, i): ChartPoint => {
      const total = decimalText(sums[i]!, level.baseDecimals);
      return {
        x: logarithm(level),
        name: `${localDecimal(roundNumber(level.wholePrice.decimal))} ${quoteText}`,
        value: textOf(say(DEPTHS[where], { total, baseText })),
      };
    });
  };
  const bids = points(buys, 'bids').reverse();
  const asks = points(sells, 'asks');
  const byPrice = [...bids, ...asks].toSorted((a, b) => a.x - b.x);
  const chart = depthChart({
    title: say('Market depth, {baseText}', { baseText }),
    description: say(
      'From {name} to {name2} for one {baseText}, on a logarithmic scale: total bids at a price or above (left), total asks at a price or below (right).',
      { name: byPrice[0]!.name, name2: byPrice.at(-1)!.name, baseText },
    ),
    bids,
    asks,
    values: html`<p>The order book has all values.</p>`,
  });
  return html`<div class="depth">${chart}</div>`;
}

/** They begin with the number that is drawn. */
const DEPTHS = {
  bids: '{total} {baseText} in bids at this price or more',
  asks: '{total} {baseText} in asks at this price or less',
} as const;

function logarithm({ price: { numerator, denominator } }: ShownLevel): number {
  return Math.log10(Number(numerator)) - Math.log10(Number(denominator));
}
