/** Draws the transactions of the next block as rectangles, as large as their sizes and coloured by their fee rates. */
import type { ProjectedTransaction } from '../../mempool/projected-blocks.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { exactAmount } from './amount.ts';
import { thingPath } from './id-links.ts';
import { roundedText, roundNumber } from './number.ts';

/** The picture in units of which a wide window has twice as many pixels; shapes are placed in per cent of it. */
const WIDTH = 600;
const HEIGHT = 150;
/** The least rectangle that has room for its rate, in a wide window; on a phone it must be as wide as `phone`. */
const LABELLED = { width: 30, height: 22, phone: 70 };
/** The shades on which a label is as pale as on buttons. */
const STRONG_SHADES = 2;
/** A rectangle may be so many times as wide as high; a wide window makes that twice as many. */
const MOST_OBLONG = 2.8;
/** More could neither be seen nor chosen. */
const MOST_TILES = 200;
/** From the strongest to the weakest. */
const OPACITIES = [1, 0.8, 0.62, 0.45, 0.3];

/** `transactions`: at least one, highest fee rate first. The list of pending transactions has them for who does not see the picture. */
export function blockTiles(site: Site, transactions: readonly ProjectedTransaction[]): Html {
  const { coinDecimals, coinTicker: unit } = site.network;
  const shown = transactions.slice(0, MOST_TILES);
  const places = placesOf(shown.map(({ transaction }) => transaction.sizeBytes));
  const shade = shadesOf(shown.map(({ rate }) => Number(rate)));
  const tiles = shown.map(({ transaction: { id, sizeBytes }, rate }, i) => {
    const { x, y, width, height } = places[i]!;
    const { decimal } = exactAmount(rate, coinDecimals);
    const shownRate = localDecimal(roundNumber(decimal));
    const title = say('{id}: {rate} {unit} per kB, {bytes} bytes', { id, rate: shownRate, unit, bytes: sizeBytes });
    const [left, top] = [inPercent(x, WIDTH), inPercent(y, HEIGHT)];
    const hasLabel = width >= LABELLED.width && height >= LABELLED.height;
    const classes = `${shade[i]! < STRONG_SHADES ? 'strong' : 'pale'}${width < LABELLED.phone ? ' small' : ''}`;
    const label = html`<text class="${classes}" x="${left}" y="${top}" dx="8" dy="20">${roundedText(decimal)}</text>`;
    return html`<a href="${site.href(thingPath('tx', id))}" tabindex="-1"><title>${textOf(title)}</title><rect fill-opacity="${OPACITIES[shade[i]!]!}" x="${left}" y="${top}" width="${inPercent(width, WIDTH)}" height="${inPercent(height, HEIGHT)}" />${hasLabel && label}</a>`;
  });
  return html`<svg class="block-tiles" aria-hidden="true">${tiles}</svg>`;
}

const inPercent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)}%`;

/** Returns the shade of each rate: a fifth of the way from the highest to the lowest, counted in magnitudes. */
function shadesOf(rates: readonly number[]): number[] {
  const magnitudes = rates.map((rate) => Math.log1p(rate));
  const highest = Math.max(...magnitudes);
  const range = highest - Math.min(...magnitudes) || 1;
  const last = OPACITIES.length - 1;
  return magnitudes.map((each) => Math.min(last, Math.floor(((highest - each) / range) * OPACITIES.length)));
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a place in the picture for each size, in their order: the first ones at the top left. */
function placesOf(sizes: readonly number[]): Place[] {
  const places: Place[] = [];
  const fill = (from: number, to: number, place: Place): void => {
    if (to - from === 1) {
      places[from] = place;
      return;
    }
    const total = sumOf(sizes, from, to);
    let [middle, before] = [from + 1, sizes[from]!];
    while (middle < to - 1 && before + sizes[middle]! / 2 < total / 2) before += sizes[middle++]!;
    const part = before / total;
    const { x, y, width, height } = place;
    // The longer side is divided, but a small part is no wide line.
    if (width >= height * Math.min(1, MOST_OBLONG * Math.min(part, 1 - part))) {
      fill(from, middle, { ...place, width: width * part });
      fill(middle, to, { ...place, x: x + width * part, width: width * (1 - part) });
    } else {
      fill(from, middle, { ...place, height: height * part });
      fill(middle, to, { ...place, y: y + height * part, height: height * (1 - part) });
    }
  };
  fill(0, sizes.length, { x: 0, y: 0, width: WIDTH, height: HEIGHT });
  return places;
}

const sumOf = (sizes: readonly number[], from: number, to: number): number =>
  sizes.slice(from, to).reduce((sum, size) => sum + size, 0);
