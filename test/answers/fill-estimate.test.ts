/** What an amount costs by the order book. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { estimateFill } from '../../src/answers/fill-estimate.ts';

const level = (baseAmount: bigint, numerator: bigint, denominator: bigint) => ({
  baseAmount,
  price: { numerator, denominator },
});

it('levels are used from the best one on, the last one in part', () => {
  const levels = [level(10n, 3n, 2n), level(10n, 2n, 1n), level(10n, 5n, 1n)];
  const price = (numerator: bigint, denominator: bigint) => ({ numerator, denominator });
  assert.deepEqual(estimateFill(levels, 'buy', 15n), {
    ...{ filled: 15n, unfilled: 0n, total: 25n, levels: 2 },
    ...{ average: price(5n, 3n), worst: price(2n, 1n) },
  });
  assert.deepEqual(estimateFill(levels, 'buy', 35n), {
    ...{ filled: 30n, unfilled: 5n, total: 85n, levels: 3 },
    ...{ average: price(17n, 6n), worst: price(5n, 1n) },
  });
  const none = { filled: 0n, unfilled: 5n, total: 0n, average: null, worst: null, levels: 0 };
  assert.deepEqual(estimateFill([], 'sell', 5n), none);
});

it('a taker pays the atom that a level is divided by, and does not receive it', () => {
  assert.equal(estimateFill([level(10n, 3n, 2n)], 'buy', 1n).total, 2n);
  assert.equal(estimateFill([level(10n, 3n, 2n)], 'sell', 1n).total, 1n);
});

it('what is filled and unfilled is the amount, and the average is within what rounding takes of the best and worst price', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n });
  const levels = fc
    .array(fc.record({ baseAmount: amounts, numerator: amounts, denominator: amounts }), { maxLength: 8 })
    .map((each) =>
      each
        .map(({ baseAmount, numerator, denominator }) => level(baseAmount, numerator, denominator))
        .sort((a, b) => (a.price.numerator * b.price.denominator < b.price.numerator * a.price.denominator ? -1 : 1)),
    );
  fc.assert(
    fc.property(levels, amounts, (book, amount) => {
      const { filled, unfilled, total, worst, levels: used } = estimateFill(book, 'buy', amount);
      assert.equal(filled + unfilled, amount);
      assert.equal(unfilled === 0n || used === book.length, true);
      if (worst === null) return;
      const { numerator, denominator } = book[0]!.price;
      assert.ok(total * denominator >= filled * numerator);
      assert.ok((total - BigInt(used)) * worst.denominator <= filled * worst.numerator);
    }),
  );
});
