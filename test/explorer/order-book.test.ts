/** The rows of an order book. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shownLevels } from '../../src/explorer/parts/order-book.ts';

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
