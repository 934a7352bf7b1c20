/** The order book of a market as its page shows it: two tables of price levels, and the depth chart. */
import { type BookLevel, bookLevelOf } from '../../answers/order-book.ts';
import type { PriceRatio } from '../../answers/price-ratio.ts';
import type { Currency } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import type { BookSide, PriceLevelEntryRow } from '../../store/queries/orders/price-levels.ts';
import { Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { DEPTH_STEPS } from '../static-files.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { decimalIn } from '../words/formats.ts';
import { amountColumn, countHtml, type ExactAmount, exactAmount } from './amount.ts';
import { type ChartPoint, depthChart } from './chart.ts';
import { roundNumber } from './number.ts';
import { fold, pagingLinks, type ShownPage } from './paging.ts';
import { type Column, inCard, numberColumn, table } from './table.ts';
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
}

/** `levels`: the best first. */
export function shownLevels(levels: readonly BookLevel[]): readonly ShownLevel[] {
  const shown: ShownLevel[] = [];
  for (const level of levels) {
    const { baseDecimals, quoteDecimals, price: worst } = level;
    const wholePrice = unitPrice(worst, baseDecimals, quoteDecimals);
    const last = shown.at(-1);
    const isAdded = last !== undefined && rounded(last.wholePrice) === rounded(wholePrice);
    const first = isAdded ? last : { ...level, wholePrice, baseAmount: 0n, orderCount: 0 };
    const baseAmount = first.baseAmount + level.baseAmount;
    const orderCount = first.orderCount + level.orderCount;
    const base = exactAmount(baseAmount, baseDecimals);
    if (isAdded) shown.pop();
    shown.push({ ...first, worst, baseAmount, orderCount, base });
  }
  return shown;
}

/** Without the zeros by which 0.1810 and 0.181 differ. */
const rounded = ({ decimal }: ExactAmount) => roundNumber(decimal).replace(/(\.\d*?)0+$/, '$1');

/** Returns the cumulative amount at each level. */
function runningSums(levels: readonly BookLevel[]): Atoms[] {
  let sum = 0n;
  return levels.map(({ baseAmount }) => {
    sum += baseAmount;
    return sum;
  });
}

/** Returns a page of a side. */
export function bookSideOf(
  site: Site,
  pair: Pick<ShownBook, 'base' | 'quote'>,
  side: BookSide,
  { entries, ...place }: ShownPage<PriceLevelEntryRow>,
): SideOfBook {
  const levels = shownLevels(entries.map((row) => bookLevelOf(site.network, { ...pair, side, order: 'best' }, row)));
  return { levels, ...place };
}

export function bookSideTable(
  site: Site,
  { items, base, quote, baseText, quoteText, ...sides }: ShownBook,
  id: 'buys' | 'sells',
  { title, empty }: { readonly title: Words; readonly empty: Words },
): Html {
  const shown = sides[id];
  const sums = runningSums(shown.levels);
  // The deepest side fills the width of the ladder.
  const deepest = [sides.buys, sides.sells].reduce((most, { levels }) => {
    const sum = runningSums(levels).at(-1) ?? 0n;
    return sum > most ? sum : most;
  }, 1n);
  const levels = shown.levels.map((level, i) => ({
    ...level,
    total: exactAmount(sums[i]!, level.baseDecimals),
    depth: (sums[i]! * BigInt(DEPTH_STEPS)) / deepest,
  }));
  // As a ladder: the best prices of both sides stand beside each other.
  if (id === 'sells') levels.reverse();
  const other = id === 'buys' ? 'sells' : 'buys';
  // Paging through one side keeps the page of the other.
  const pages = pagingLinks(site, marketPath(site.network, base, quote), shown, {
    parameter: id,
    query: { [other]: sides[other].cursor, items },
    anchor: id,
    label: say('Pages of {title}', { title: textOf(title) }),
  });
  return html`${table(levels, {
    caption: title,
    isCaptionShown: true,
    id,
    columns: [
      amountColumn(say('Price, {quoteText}', { quoteText }), ({ wholePrice }) => wholePrice, {
        isPrice: true,
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
      shown.isFirst &&
        inCard.off(withDepth(amountColumn(say('Total, {baseText}', { baseText }), ({ total }) => total))),
      inCard.off(numberColumn('Orders', ({ orderCount }) => countHtml(orderCount))),
    ],
    empty,
  })}${pages}`;
}

/** Draws behind each row how much of the deepest side is up to there, by a class of the style. */
const withDepth = <Row extends { readonly depth: bigint }>(shown: Column<Row>): Column<Row> => ({
  ...shown,
  cells: (rows) =>
    shown.cells(rows).map((cell, i) => html`<span class="depth-bar d${String(rows[i]!.depth)}"></span>${cell}`),
});

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
    values: html`<p>The order book has all values: ${levelCount('bids', buys)} and ${levelCount('asks', sells)}.</p>`,
  });
  return html`<div class="depth">${fold('Depth', chart)}</div>`;
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
