/**
 * Charts, drawn here as SVG, without a script. Shapes are rounded for the picture. The exact values are in the table
 * below each chart, or behind a link. The script draws the same values again, to be zoomed (`public/charts.js`).
 */
import { Attributes, Html, html } from '../html.ts';
import { PART_COLOURS } from '../style-sheet.ts';
import { englishOf, textOf, type Words } from '../words/catalogue.ts';
import { compactNumber } from '../words/formats.ts';
import { slug } from './table.ts';

export interface ChartPoint {
  /** The position: seconds, days or a price. It stays the same when other points come. */
  readonly x: number;
  /** Where the point is, in words: "2026-01-31". */
  readonly name: string;
  /** The exact value, in words: "12.5 ML". The number that it begins with is drawn. */
  readonly value: string;
}

interface DrawnPoint extends ChartPoint {
  readonly y: number;
}

const drawn = (point: ChartPoint): DrawnPoint => ({ ...point, y: Number.parseFloat(point.value) });

interface ChartOptions {
  /** The title of the chart, with the unit of its values. */
  readonly title: Words;
  /** A sentence that describes the chart: the span, the lowest and the highest value. */
  readonly description: Words;
  /** The values, at least one, in ascending order of `x`. */
  readonly points: readonly ChartPoint[];
  /** The exact values: a table, or a link to one. */
  readonly values: Html;
  /** The newest value with its time, for the head of the chart. */
  readonly newest?: Html | undefined;
}

/** What the script needs besides the points. */
interface Drawing {
  readonly kind: 'line' | 'bars' | 'candles' | 'depth';
  /** The points, in ascending order of `x`. */
  readonly points: readonly DrawnPoint[];
  /** Open, high, low and close; bids and asks, null where the other side has a point. Otherwise the texts have the numbers. */
  readonly columns?: readonly (readonly (number | null)[])[];
  /** The volumes of candles, as parts of the largest one. */
  readonly volumes?: readonly number[];
  /** Is the vertical axis logarithmic? */
  readonly isLog?: boolean;
  /** Is it as high as the chart that people trade by? */
  readonly isTall?: boolean;
}

/** The units of the shapes, which the style stretches to the size of the picture. The texts keep theirs. */
const WIDTH = 640;
const HEIGHT = 200;
const MOST_LINES = 5;
/** A bar of few ones is no wider than this. */
const MOST_BAR = 48;

/** Draws a value over time as a line, with the area below it. */
export function lineChart(options: ChartOptions): Html {
  const points = options.points.map(drawn);
  return chart(options, { kind: 'line', points }, (at) => {
    // A single value is a line over the whole width.
    const isLine = points.length > 1;
    const first = isLine ? at.x(points[0]!.x) : '0';
    const last = isLine ? at.x(points.at(-1)!.x) : `${WIDTH}`;
    const line = isLine
      ? points.map(({ x, y }) => `${at.x(x)} ${at.y(y)}`).join('L')
      : `${first} ${at.y(points[0]!.y)}H${last}`;
    return new Html(
      `<path class="area" d="M${first} ${HEIGHT}L${line}L${last} ${HEIGHT}Z"/><path class="line" d="M${line}"/>`,
    );
  });
}

/** Draws the amounts of periods as bars. */
export function barChart(options: ChartOptions): Html {
  const points = options.points.map(drawn);
  const step = WIDTH / points.length;
  const width = Math.min(MOST_BAR, Math.max(1, step * 0.8));
  return chart(options, { kind: 'bars', points }, (at) => {
    const bars = points.map(({ y }, i) => `M${((i + 0.5) * step).toFixed(1)} ${HEIGHT}V${at.y(y)}`);
    return new Html(`<path class="bars" stroke-width="${width.toFixed(1)}" d="${bars.join('')}"/>`);
  });
}

/**
 * Draws the two sides of an order book: bids at a price or above, asks at a price or below. Both are in ascending order
 * of price.
 */
export function depthChart({
  bids,
  asks,
  ...options
}: Omit<ChartOptions, 'points'> & {
  readonly bids: readonly ChartPoint[];
  readonly asks: readonly ChartPoint[];
}): Html {
  const xs = [...bids, ...asks].map(({ x }) => x);
  const margin = (Math.max(...xs) - Math.min(...xs)) * 0.03 || 0.03;
  // The lines reach the edges; these ends are no values.
  const beyond = (points: readonly ChartPoint[], distance: number) =>
    points.slice(0, 1).map(({ x, value }): ChartPoint => ({ x: x + distance, name: '', value }));
  const lines = [
    [...beyond(bids, -margin), ...bids].map(drawn),
    [...asks, ...beyond(asks.toReversed(), margin)].map(drawn),
  ];
  const points = lines.flat().toSorted((a, b) => a.x - b.x);
  const columns = lines.map((line) => points.map((point) => (line.includes(point) ? point.y : null)));
  return chart(options, { kind: 'depth', points, columns }, (at) => {
    const side = (points: readonly DrawnPoint[], name: string, isFalling: boolean): string => {
      if (points.length === 0) return '';
      let line = `${at.x(points[0]!.x)} ${at.y(points[0]!.y)}`;
      for (let i = 1; i < points.length; i++) {
        const corner = isFalling ? points[i]! : points[i - 1]!;
        const other = isFalling ? points[i - 1]! : points[i]!;
        line += `L${at.x(other.x)} ${at.y(corner.y)}L${at.x(points[i]!.x)} ${at.y(points[i]!.y)}`;
      }
      const from = at.x(points[0]!.x);
      const to = at.x(points.at(-1)!.x);
      return `<path class="area ${name}" d="M${from} ${HEIGHT}L${line}L${to} ${HEIGHT}Z"/><path class="line ${name}" d="M${line}"/>`;
    };
    return new Html(side(lines[0]!, 'bid', true) + side(lines[1]!, 'ask', false));
  });
}

/** The prices of a period, which begins at `x`. */
export interface CandlePoint extends Pick<ChartPoint, 'x' | 'name' | 'value'> {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In atoms, as a number for drawing. */
  readonly volume: number;
  /** The price with which it ends, in words. */
  readonly last: string;
}

/** The part of the height of a chart of prices that the bars of volumes may take. */
const VOLUME_PART = 0.25;

/** The least width of a candle. */
const MIN_CANDLE = 3;

/** A highest price of more than so many times the median needs a logarithmic scale. */
const FAR_ABOVE = 20;
const LOG_MARGIN = 0.3;

/** Draws prices of periods that follow each other: the body from open to close, the wick from low to high, the volume as a bar below. */
export function candleChart({
  candles,
  ...options
}: Omit<ChartOptions, 'points'> & { readonly candles: readonly CandlePoint[] }): Html {
  const step = WIDTH / candles.length;
  const centre = (i: number) => ((i + 0.5) * step).toFixed(1);
  const draw = (at: Scale) => {
    const width = Math.min(12, Math.max(MIN_CANDLE, step * 0.7));
    // The price goes on as a step line where nothing was traded.
    const closes = candles.map(
      ({ close }, i) => `${i === 0 ? 'M' : 'H'}${centre(i)}${i === 0 ? ' ' : 'V'}${at.y(close)}`,
    );
    const shapes = candles.map(({ open, high, low, close, volume }, i) => {
      if (volume === 0) return '';
      const top = Number(at.y(Math.max(open, close)));
      const height = Math.max(1, Number(at.y(Math.min(open, close))) - top).toFixed(1);
      const x = ((i + 0.5) * step - width / 2).toFixed(1);
      return `<g class="candle ${close < open ? 'ask' : 'bid'}"><path d="M${centre(i)} ${at.y(high)}V${at.y(low)}"/><rect x="${x}" y="${top}" width="${width.toFixed(1)}" height="${height}"/></g>`;
    });
    const bars = candles.flatMap(({ volume }, i) =>
      volume === 0 ? [] : `M${centre(i)} ${HEIGHT}v-${((volume / most) * VOLUME_PART * HEIGHT).toFixed(1)}`,
    );
    return new Html(
      `<path class="bars volume" stroke-width="${width.toFixed(1)}" d="${bars.join('')}"/><path class="step" d="${closes.join('')}"/>${shapes.join('')}`,
    );
  };
  const most = Math.max(...candles.map(({ volume }) => volume));
  const [lowest, highest] = [Math.min(...candles.map(({ low }) => low)), Math.max(...candles.map(({ high }) => high))];
  // Beside one price far above the others, these would be a line at 0.
  const closes = candles.map(({ close }) => close).sort((a, b) => a - b);
  const isLog = lowest > 0 && highest > FAR_ABOVE * closes[closes.length >> 1]!;
  const [below, above] = isLog ? [lowest * (1 - LOG_MARGIN), highest / (1 - LOG_MARGIN)] : marginsOf(lowest, highest);
  const points = candles.map(({ x, close, name, value }) => ({ x, y: close, name, value }));
  const columns = (['open', 'high', 'low', 'close'] as const).map((price) => candles.map((candle) => candle[price]));
  const volumes = candles.map(({ volume }) => volume / most);
  const drawing = { kind: 'candles', points, columns, volumes, isLog, isTall: true } as const;
  return chart(options, drawing, draw, { lowest: below!, highest: above! });
}

/** The ends of an axis of prices, with some room: of prices that hardly differ so much that they seem to. */
function marginsOf(lowest: number, highest: number): readonly [number, number] {
  const margin = Math.max((highest - lowest) * 0.08, highest * 0.02);
  return [Math.max(0, lowest - margin), highest + margin];
}

/** Draws a line without axes, beside the number that it ends with. */
export function sparkline(title: string, values: readonly number[]): Html | null {
  if (values.length < 2) return null;
  const lowest = Math.min(...values);
  const span = Math.max(...values) - lowest || 1;
  const line = values
    .map(
      (value, i) =>
        `${((i * 100) / (values.length - 1)).toFixed(1)} ${(22 - ((value - lowest) * 20) / span).toFixed(1)}`,
    )
    .join('L');
  return html`<svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img"><title>${title}</title><path class="area" d="${`M0 24L${line}L100 24Z`}" /><path class="line" d="${`M${line}`}" /></svg>`;
}

interface Scale {
  readonly x: (value: number) => string;
  readonly y: (value: number) => string;
}

function chart(
  { title, description, values, newest }: Omit<ChartOptions, 'points'>,
  { kind, points, columns, volumes, isLog, isTall = false }: Drawing,
  draw: (at: Scale) => Html,
  { lowest, highest } = { lowest: 0, highest: Math.max(...points.map(({ y }) => y)) || 1 },
): Html {
  const name = slug(englishOf(title));
  const left = points[0]!.x;
  const width = points.at(-1)!.x - left || 1;
  const height = isLog ? Math.log10 : Number;
  const part = (value: number) => 1 - (height(value) - height(lowest)) / (height(highest) - height(lowest));
  const at: Scale = {
    x: (value) => (((value - left) * WIDTH) / width).toFixed(1),
    y: (value) => (part(value) * HEIGHT).toFixed(1),
  };
  const lines = (isLog ? powersOfTen : roundValues)(lowest, highest).map((value) => {
    const y = `${(part(value) * 100).toFixed(2)}%`;
    return html`<line class="grid" x2="100%" y1="${y}" y2="${y}" /><text class="axis end" x="-6" y="${y}" dy="4">${compactNumber(value)}</text>`;
  });
  const names = points.map((point) => point.name);
  const data = {
    kind,
    x: points.map(({ x }) => x),
    y: columns,
    isLog,
    volumes: volumes?.map((volume) => Number(volume.toFixed(4))),
    // Lines are shorter than arrays, compressed as well.
    names: names.join('\n'),
    values: points.map(({ value }) => value).join('\n'),
  };
  const picture = Attributes.of({
    'aria-labelledby': `${name}-title ${name}-description`,
    'data-chart': JSON.stringify(data),
  });
  const named = names.filter(isNamed);
  // Of prices of a book only the ends: their distances differ.
  const count = Math.min(kind === 'depth' ? 2 : 4, named.length);
  const dates = Array.from({ length: count }, (_, i) => {
    const part = count === 1 ? 0 : i / (count - 1);
    const name = named[Math.round(part * (named.length - 1))]!;
    const where = i === 0 ? 'axis' : i === count - 1 ? 'axis end' : 'axis between';
    return html`<text class="${where}" x="${(part * 100).toFixed(1)}%" y="100%" dy="16">${i === 0 ? name : withoutYear(name)}</text>`;
  });
  const scale = isLog && html`, logarithmic scale`;
  return html`<figure class="${isTall ? 'tall chart' : 'chart'}" id="${name}-chart"><figcaption><span class="what">${textOf(title)}${scale}</span>${newest && html`<span class="newest">${newest}</span>`}<output></output></figcaption><svg role="img"${picture}><title id="${name}-title">${textOf(title)}</title><desc id="${name}-description">${textOf(description)}</desc>${lines}<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${draw(at)}</svg><line class="grid" x2="100%" y1="100%" y2="100%" />${dates}</svg><details><summary>Show as table</summary>${values}</details></figure>`;
}

/** The values of the lines: multiples of 1, 2 or 5 times a power of ten, from `lowest` on, and at most MOST_LINES above it. */
function roundValues(lowest: number, highest: number): number[] {
  const least = (highest - lowest) / MOST_LINES;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= least)!;
  const first = Math.ceil(lowest / step);
  return Array.from({ length: Math.floor(highest / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** The values of the lines of a logarithmic axis: powers of ten, at most MOST_LINES + 1. */
function powersOfTen(lowest: number, highest: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(lowest)), Math.floor(Math.log10(highest))];
  const step = Math.ceil((last - first) / MOST_LINES) || 1;
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step));
}

const isNamed = (name: string): boolean => name !== '';

const withoutYear = (name: string): string => name.replace(/^\d{4}-(?=\d\d-)/, '');

/** Draws a part of a whole. */
export function meter(title: string, part: bigint, whole: bigint): Html {
  return partsOfWholeBar(title, [part], whole, { name: 'meter' });
}

/** Of the whole, in per cent: a smaller part would not be seen. */
const LEAST_PART = 0.5;

/** Draws parts of a whole; the remainder stays empty. `colors`: the number of each part's colour, its place by default. */
export function partsOfWholeBar(
  title: string,
  parts: readonly bigint[],
  whole: bigint,
  { name = 'share-bar', colors }: { readonly name?: string; readonly colors?: readonly number[] } = {},
): Html {
  let bars = '<rect class="track" x="0" y="0" width="100" height="10"/>';
  let sum = 0n;
  for (const [i, part] of parts.entries()) {
    const [from, to] = [percent(sum, whole), percent(sum + part, whole)];
    bars += `<rect class="share s${Math.min(colors?.[i] ?? i, PART_COLOURS - 1)}" x="${from}" y="0" width="${Math.max(to - from, part > 0n ? LEAST_PART : 0).toFixed(2)}" height="10"/>`;
    sum += part;
  }
  return html`<svg class="${name}" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${title}">${new Html(bars)}</svg>`;
}

function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Math.min(10_000, Number((part * 10_000n) / whole)) / 100;
}
