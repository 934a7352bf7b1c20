/** Amounts on pages: exact, and in lists and headings rounded to four to six significant digits. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { priceDifference } from '../../src/answers/price-ratio.ts';
import { html, markupOf } from '../../src/explorer/html.ts';
import { amountColumn, amountHtml, type ExactAmount, exactAmount } from '../../src/explorer/parts/amount.ts';
import { percentage, roundedText } from '../../src/explorer/parts/number.ts';
import { table } from '../../src/explorer/parts/table.ts';
import { changeHtml, exactUnitPrice, unitPrice } from '../../src/explorer/parts/trading-pair.ts';
import { type PageElement, parsePage } from '../support/html-page.ts';

function shown(amount: ExactAmount, options: Parameters<typeof amountHtml>[1] = {}): PageElement {
  const page = `<!doctype html><html><head><title>t</title></head><body><main>${markupOf(amountHtml(amount, options))}</main></body></html>`;
  return parsePage(page, { status: 200, headers: new Headers() }).main.one('.amount');
}

it('an amount is exact unless it is in a list', () => {
  const amount = shown(exactAmount(123456_00000000001n, 11));
  assert.equal(amount.text, '123456.00000000001');
  assert.equal(amount.attribute('data-atoms'), '12345600000000001');
  assert.equal(amount.attribute('title'), undefined);
});

it('an amount in a list is rounded to four to six significant digits, and whole in a detail without a script', () => {
  const cases: readonly (readonly [atoms: bigint, text: string, whole: string | undefined])[] = [
    [0n, '0', undefined],
    [1_50000000000n, '1.5', undefined],
    [1_00010000000n, '1.0001', undefined],
    [1_99999999999n, '2', '1.99999999999'],
    [18099999999n, '0.181', '0.18099999999'],
    [26499000000n, '0.265', '0.26499'],
    [26494999999n, '0.2649', '0.26494999999'],
    [99_99995000000n, '100', '99.99995'],
    [99999999n, '0.001', '0.00099999999'],
    [1_00004000000n, '1', '1.00004'],
    [50357_46000000000n, '50357.5', '50357.46'],
    [123456_78900000000n, '123457', '123456.789'],
    [12345678_90000000000n, '12345679', '12345678.9'],
    [1234567n, '0.00001235', '0.00001234567'],
    [1n, '0.00000000001', undefined],
    [-1_99999999999n, '−2', '-1.99999999999'],
  ];
  for (const [atoms, text, whole] of cases) {
    const amount = shown(exactAmount(atoms, 11), { isRounded: true });
    assert.equal(amount.attribute('data-atoms'), String(atoms));
    assert.equal(amount.attribute('title'), undefined);
    assert.equal(amount.text, text);
    assert.equal(amount.name, whole === undefined ? 'span' : 'details');
    if (whole !== undefined) {
      assert.equal(amount.one('summary').text, text);
      assert.equal(amount.all('span').at(-1)!.text, whole);
    }
  }
  const signed = shown(exactAmount(1_23456789000n, 11), { isRounded: 'inline', isSigned: true });
  assert.deepEqual([signed.name, signed.text, signed.attribute('title')], ['span', '+1.2346', '1.23456789']);
});

it('a rounded amount is the nearest one with its decimals, and has four to six significant digits after the point', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.integer({ min: 0, max: 18 }), (atoms, decimals) => {
      const exact = exactAmount(atoms, decimals);
      const text = shown(exact, { isRounded: true }).text.replace('−', '-');
      const [whole, fraction = ''] = text.split('.') as [string, string?];
      const step = 10n ** BigInt(decimals - fraction.length);
      const difference = BigInt(whole + fraction) * step - atoms;
      // Half of a step at most, away from zero if it is half.
      assert.ok(2n * (atoms < 0n ? -difference : difference) <= step, `${text} of ${exact.decimal}`);
      assert.ok(2n * (atoms < 0n ? -difference : difference) > -step, `${text} of ${exact.decimal}`);
      const significant = (number: string) => number.replace(/^[-0.]+/, '').replace('.', '').length;
      assert.ok(significant(text) >= Math.min(4, significant(exact.decimal)), `${text} of ${exact.decimal}`);
      if (fraction !== '') assert.ok(significant(text) <= 6, text);
    }),
  );
});

it('a share is rounded half up to two decimals, but never to nothing or to all', () => {
  const cases = {
    86195: '8.62%',
    974: '0.10%',
    964559: '96.46%',
    1: '<0.01%',
    0: '0.00%',
    999999: '>99.99%',
    1000000: '100.00%',
  };
  for (const [millionths, text] of Object.entries(cases))
    assert.equal(percentage(BigInt(millionths), 1_000_000n), text);
  const changes = [65481n, -65481n, -86150n, 49n].map((change) => markupOf(changeHtml(change)).replace(/<[^>]*>/g, ''));
  assert.deepEqual(changes, ['+6.55%', '&#8722;6.55%', '&#8722;8.62%', '0.00%']);
});

it('a column of rounded amounts has the same decimals in each row: few beside large amounts, and no more than there are; nothing is 0, and an NFT 1', () => {
  const shownIn = (amounts: readonly bigint[], decimalsOf = (_: bigint) => 11) => {
    const columns = [amountColumn<bigint>('Amount', (atoms) => exactAmount(atoms, decimalsOf(atoms)))];
    const page = `<!doctype html><html><head><title>t</title></head><body><main>${markupOf(html`${table(amounts, { caption: 'Amount', columns })}`)}</main></body></html>`;
    const { main } = parsePage(page, { status: 200, headers: new Headers() });
    return main.all('.amount').map((each) => (each.name === 'details' ? each.one('summary').text : each.text));
  };
  assert.deepEqual(shownIn([1n, 150_000_000_000n, 0n]), ['<0.0001', '1.5000', '0']);
  assert.deepEqual(shownIn([1_123_456_789_012_345n, 150_000_000_000n, -1n]), ['11234.57', '1.50', '−<0.01']);
  assert.deepEqual(shownIn([123_456n, 1_234_560n]), ['0.00000123', '0.00001235']);
  assert.deepEqual(shownIn([200_000_000_000n, 100_000_000_000n]), ['2', '1']);
  const mixed = shownIn([1n, 150_000_000_000n], (atoms) => (atoms === 1n ? 0 : 11));
  assert.deepEqual(mixed, ['1', '1.50']);
});

it('a price is exact as a decimal number, or as a fraction where it is none with the decimals of its currency', () => {
  const exact = (numerator: bigint, denominator: bigint, base: number, quote: number) =>
    exactUnitPrice({ numerator, denominator }, base, quote);
  assert.equal(exact(16_700n, 1n, 7, 11), '1.67');
  assert.equal(exact(1n, 3n, 11, 11), '1/3');
  assert.equal(exact(1n, 3n, 9, 11), '1/300');
  assert.equal(exact(1n, 100n, 0, 1), '1/1000');
  assert.equal(exact(5n, 1n, 0, 0), '5');
});

it('the difference of two prices is exact, though both are rounded down where they are shown', () => {
  const [bid, ask] = [339n, 342n].map((numerator) => ({ numerator, denominator: 10n }));
  assert.deepEqual(priceDifference(ask!, bid!), { numerator: 30n, denominator: 100n });
  assert.equal(unitPrice(priceDifference(ask!, bid!), 1, 0).decimal, '3');
});

it('a number at the axis of a chart has three significant digits', () => {
  const cases = { '1.2632276657': '1.26', '0.00012345': '0.000123', '1': '1', '123456': '123000', '9.999': '10' };
  for (const [decimal, text] of Object.entries(cases)) assert.equal(roundedText(decimal), text);
});
