/** Draws the transactions of the next block as rectangles, as large as their sizes and coloured by their fee rates. */
import type { ProjectedTransaction } from '../../mempool/projected-blocks.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { exactAmount } from './amount.ts';
import { thingPath } from './id-links.ts';
import { roundNumber } from './number.ts';

/** The units of the shapes, which the style stretches to the size of the picture. */
const WIDTH = 600;
const HEIGHT = 150;
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
    const shownRate = localDecimal(roundNumber(exactAmount(rate, coinDecimals).decimal));
    const title = say('{id}: {rate} {unit} per kB, {bytes} bytes', { id, rate: shownRate, unit, bytes: sizeBytes });
    return html`<a href="${site.href(thingPath('tx', id))}" tabindex="-1"><title>${textOf(title)}</title><rect fill-opacity="${OPACITIES[shade[i]!]!}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" /></a>`;
  });
  return html`<svg class="block-tiles" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${tiles}</svg>`;
}

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

/** Fills the picture in rows, in the order given: a row goes on as long as that makes its rectangles more like squares. */
function placesOf(sizes: readonly number[]): Place[] {
  const scale = (WIDTH * HEIGHT) / sumOf(sizes);
  const places: Place[] = [];
  for (let y = 0; places.length < sizes.length; ) {
    let row = sizes.slice(places.length, places.length + 1);
    for (;;) {
      const longer = sizes.slice(places.length, places.length + row.length + 1);
      if (longer.length === row.length || oblongness(longer, scale) > oblongness(row, scale)) break;
      row = longer;
    }
    const height = (sumOf(row) * scale) / WIDTH;
    let x = 0;
    for (const size of row) {
      const width = (size * scale) / height;
      places.push({ x, y, width, height });
      x += width;
    }
    y += height;
  }
  return places;
}

/** How far the rectangles of a row are from squares, on average: 1 for squares. */
function oblongness(row: readonly number[], scale: number): number {
  const height = (sumOf(row) * scale) / WIDTH;
  return sumOf(row.map((size) => (size * scale) / height ** 2).map((ratio) => Math.max(ratio, 1 / ratio))) / row.length;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
