import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { reducedRatio, wholeUnitPrice } from '../../../src/api/present/order.ts';

it('the price of an order is a ratio in lowest terms', () => {
  assert.deepEqual(reducedRatio(30n, 12n), { numerator: 5n, denominator: 2n });
  assert.deepEqual(reducedRatio(12n, 12n), { numerator: 1n, denominator: 1n });
});

it('the price of an order is the same ratio for sums of amounts of the same ratio', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 128n - 1n });
  const factor = fc.bigInt({ min: 1n, max: 10_000n });
  fc.assert(
    fc.property(amount, amount, fc.array(factor, { minLength: 1 }), (quote, base, factors) => {
      const sum = factors.reduce((all, each) => all + each, 0n);
      assert.deepEqual(reducedRatio(quote * sum, base * sum), reducedRatio(quote, base));
    }),
  );
});

it('the price of an order of a whole unit of base is in atoms of quote, rounded down', () => {
  assert.equal(wholeUnitPrice(reducedRatio(5n, 2n), 0), 2n);
  // 150 coins of 11 decimals for 3 tokens of 2 decimals: 50 coins each.
  assert.equal(wholeUnitPrice(reducedRatio(150n * 10n ** 11n, 300n), 2), 50n * 10n ** 11n);
  assert.equal(wholeUnitPrice(reducedRatio(1n, 3n), 2), 33n);
  assert.equal(wholeUnitPrice(reducedRatio(1n, 3n), 0), 0n);
});
