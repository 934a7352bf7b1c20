import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { priceText, ratio } from '../../src/api/price.ts';

const price = (quote: bigint, base: bigint, quoteDecimals = 0, baseDecimals = 0) =>
  priceText(ratio(quote, base), quoteDecimals, baseDecimals);

describe('a price', () => {
  it('is a ratio in lowest terms', () => {
    assert.deepEqual(ratio(30n, 12n), { numerator: 5n, denominator: 2n });
    assert.deepEqual(ratio(0n, 12n), { numerator: 0n, denominator: 1n });
  });

  it('is printed in whole units of both currencies', () => {
    assert.equal(price(5n, 2n), '2.5');
    // 150 coins of 11 decimals for 3 tokens of 2 decimals.
    assert.equal(price(150n * 10n ** 11n, 300n, 11, 2), '50');
    assert.equal(price(1n, 10n ** 11n, 0, 11), '1');
    assert.equal(price(1n, 1n, 11, 0), '0.00000000001');
  });

  it('has at most 18 significant digits, rounded to the nearest', () => {
    assert.equal(price(1n, 3n), '0.333333333333333333');
    assert.equal(price(2n, 3n), '0.666666666666666667');
    assert.equal(price(200n, 3n), '66.6666666666666667');
    assert.equal(price(10n ** 20n + 6n, 1n), '100000000000000000000');
    assert.equal(price(10n ** 18n - 1n, 10n ** 18n), '0.999999999999999999');
    assert.equal(price(10n ** 19n - 1n, 10n ** 19n), '1');
    assert.equal(price(1n, 7n, 18, 0), '0.000000000000000000142857142857142857');
  });

  it('is never farther from the ratio than its last digit allows', () => {
    const amount = fc.bigInt({ min: 1n, max: 2n ** 128n - 1n });
    const decimals = fc.integer({ min: 0, max: 18 });
    fc.assert(
      fc.property(amount, amount, decimals, decimals, (quote, base, quoteDecimals, baseDecimals) => {
        const text = price(quote, base, quoteDecimals, baseDecimals);
        assert.match(text, /^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
        const [whole, fraction = ''] = text.split('.') as [string, string?];
        const digits = BigInt(whole + fraction);
        assert.ok(`${digits}`.replace(/0+$/, '').length <= 18, text);
        // |digits / 10^places − top / bottom| ≤ a unit of the 18th digit / 2
        const top = quote * 10n ** BigInt(baseDecimals + fraction.length);
        const bottom = base * 10n ** BigInt(quoteDecimals);
        const error = digits * bottom - top;
        const size = error < 0n ? -error : error;
        const unit = 10n ** BigInt(Math.max(0, `${digits}`.length - 18));
        const isShort = `${digits}`.length < 18;
        assert.ok(2n * size <= unit * bottom || (isShort && 2n * size * 10n ** 18n <= top * 10n), text);
      }),
      { numRuns: 300 },
    );
  });
});
