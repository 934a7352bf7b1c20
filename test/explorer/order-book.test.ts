/** The rows of an order book. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COIN } from '../../src/chain/currency.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import type { Id } from '../../src/chain/types.ts';
import { readBookSide, shownLevels } from '../../src/explorer/parts/order-book.ts';
import { parseListPage } from '../../src/explorer/parts/paging.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import { PRICE_LEVEL_LIST } from '../../src/store/queries/orders/price-levels.ts';
import type { QueryRunner } from '../../src/store/read/query.ts';

const site = new Site(regtest, '', '', new StaticFiles());

it('price levels that follow each other and are equal when rounded are one row, with their amounts and orders together', () => {
  const level = (numerator: bigint, baseAmount: bigint) => ({
    ...{ price: { numerator, denominator: 10n ** 11n }, baseAmount, orderCount: 2 },
    ...{ baseDecimals: 11, quoteDecimals: 11 },
  });
  const shown = shownLevels([level(18_099_999_999n, 5n), level(18_100_000_000n, 7n), level(18_110_000_000n, 1n)]);
  assert.deepEqual(
    shown.map(({ price, worst, base, orderCount }) => [price.numerator, worst.numerator, base.atoms, orderCount]),
    [
      [18_099_999_999n, 18_100_000_000n, 12n, 4],
      [18_110_000_000n, 18_110_000_000n, 1n, 2],
    ],
  );
  assert.deepEqual(shownLevels([]), []);
});

it('a page of a book ends where a shown price ends, also if several prices round to it', async () => {
  const levelsOf = (quotes: readonly bigint[]) =>
    quotes.map((quote) => ({
      ...{ exists: true, ask_decimals: 11, give_decimals: null, frozen_since: null, order_count: 1 },
      ...{ price: quote, ask_balance: 10n ** 11n, give_balance: quote },
    }));
  const pageOf = async (quotes: readonly bigint[], limit: number) => {
    const store = { query: async () => ({ rows: levelsOf(quotes), tip: null }) } as unknown as QueryRunner;
    const book = { base: 'ab'.repeat(32) as Id, quote: COIN, side: 'buys', order: 'best' } as const;
    const page = parseListPage({ items: String(limit) }, PRICE_LEVEL_LIST, book, '10');
    const { entries, nextCursor } = await readBookSide(site, store, page, book);
    return [entries.length, nextCursor !== null];
  };
  const alike = Array.from({ length: 12 }, (_, i) => 149_000_000_005n - BigInt(i));
  assert.deepEqual(await pageOf([150_000_000_000n, ...alike.slice(0, 3), 148_000_000_000n], 2), [4, true]);
  assert.deepEqual(await pageOf([150_000_000_000n, ...alike.slice(0, 3), 148_000_000_000n], 3), [5, false]);
  assert.deepEqual(await pageOf([150_000_000_000n, ...alike], 2), [1, true], 'the second price goes on');
  assert.deepEqual(await pageOf(alike, 2), [10, true], 'more than are read');
  assert.deepEqual(await pageOf([], 2), [0, false]);
});
