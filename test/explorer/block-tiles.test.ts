/** The rectangles of the next block. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import { blockTiles } from '../../src/explorer/parts/block-tiles.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';

const site = new Site(regtest, '', '', new StaticFiles());
/** The picture in pixels, in a wide window. */
const [WIDTH, HEIGHT] = [1_346, 160];
/** No rectangle shall be so many times as wide as high. */
const MOST = 6;

/** Returns the rectangles of transactions of these sizes, in pixels. */
function tilesOf(sizes: readonly number[]) {
  const transactions = sizes.map((sizeBytes, i) => ({ transaction: { id: `${i}`, sizeBytes }, rate: 1n }));
  const picture = `${blockTiles(site, transactions as never)}`;
  return [...picture.matchAll(/x="([^"%]*)%" y="([^"%]*)%" width="([^"%]*)%" height="([^"%]*)%"/g)].map((found) => {
    const [, x, y, w, h] = found.map(Number);
    const [across, down] = [WIDTH / 100, HEIGHT / 100];
    return { x: x! * across, y: y! * down, width: w! * across, height: h! * down };
  });
}

const SIZES = fc.array(fc.oneof(fc.integer({ min: 200, max: 1_000 }), fc.integer({ min: 100, max: 1_000_000 })), {
  minLength: 1,
  maxLength: 200,
  size: 'max',
});

it('no transaction is drawn as a wide line: a rectangle is at most six times as wide as high, unless its share of the picture is too large', () => {
  const check = fc.property(SIZES, (sizes) => {
    const all = sizes.reduce((sum, size) => sum + size, 0);
    for (const [i, { width, height }] of tilesOf(sizes).entries()) {
      const isTooLarge = sizes[i]! / all > (MOST * HEIGHT) / WIDTH;
      // What is drawn is rounded.
      assert.ok(isTooLarge || width - 1 <= MOST * (height + 0.1), `${width} × ${height}`);
    }
  });
  fc.assert(check, { numRuns: 50, examples: [[[900, 850, 40]]] });
});

it('the rectangles fill the picture, each as large as its transaction', () => {
  const check = fc.property(SIZES, (sizes) => {
    const all = sizes.reduce((sum, size) => sum + size, 0);
    const tiles = tilesOf(sizes);
    for (const [i, { x, y, width, height }] of tiles.entries()) {
      assert.ok(Math.abs(width * height - (sizes[i]! / all) * WIDTH * HEIGHT) < 0.2 * (width + height + 1));
      assert.ok(x >= 0 && y >= 0 && x + width < WIDTH + 1 && y + height < HEIGHT + 1);
      for (const other of tiles.slice(0, i)) {
        const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x);
        const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y);
        assert.ok(Math.min(across, down) < 0.5, 'no two lie over each other');
      }
    }
  });
  fc.assert(check, { numRuns: 50 });
});
