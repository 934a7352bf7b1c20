/** Amounts on pages: exact, and in lists and headings cut to four to six significant digits. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { html, markupOf } from '../../src/explorer/html.ts';
import { amountColumn, amountHtml, type ExactAmount, exactAmount } from '../../src/explorer/parts/amount.ts';
import { roundedText } from '../../src/explorer/parts/number.ts';
import { table } from '../../src/explorer/parts/table.ts';
import { exactUnitPrice } from '../../src/explorer/parts/trading-pair.ts';
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

it('an amount in a list is cut to four to six significant digits, and whole in a detail without a script', () => {
  const cases: readonly (readonly [atoms: bigint, text: string, whole: string | undefined])[] = [
    [0n, '0', undefined],
    [1_50000000000n, '1.5', undefined],
    [1_00010000000n, '1.0001', undefined],
    [1_99999999999n, '1.9999', '1.99999999999'],
    [1_00004000000n, '1.0000', '1.00004'],
    [50357_46000000000n, '50357.4', '50357.46'],
    [123456_78900000000n, '123456', '123456.789'],
    [12345678_90000000000n, '12345678', '12345678.9'],
    [1234567n, '0.00001234', '0.00001234567'],
    [1n, '0.00000000001', undefined],
    [-1_99999999999n, '−1.9999', '-1.99999999999'],
  ];
  for (const [atoms, text, whole] of cases) {
    const amount = shown(exactAmount(atoms, 11), { isCut: true });
    assert.equal(amount.attribute('data-atoms'), String(atoms));
    assert.equal(amount.attribute('title'), undefined);
    assert.equal(amount.text, text);
    assert.equal(amount.name, whole === undefined ? 'span' : 'details');
    if (whole !== undefined) {
      assert.equal(amount.one('summary').text, text);
      assert.equal(amount.all('span').at(-1)!.text, whole);
    }
  }
  const signed = shown(exactAmount(1_23456789000n, 11), { isCut: 'inline', isSigned: true });
  assert.deepEqual([signed.name, signed.text, signed.attribute('title')], ['span', '+1.2345', '1.23456789']);
});

it('a cut amount has all digits before the point, four significant ones at least, and is not rounded', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.integer({ min: 0, max: 18 }), (atoms, decimals) => {
      const exact = exactAmount(atoms, decimals);
      const text = shown(exact, { isCut: true }).text.replace('−', '-');
      assert.ok(exact.decimal.startsWith(text), `${text} of ${exact.decimal}`);
      assert.equal(text.split('.')[0], exact.decimal.split('.')[0]);
      const significant = (number: string) => number.replace(/^[-0.]+/, '').replace('.', '').length;
      assert.ok(significant(text) >= Math.min(4, significant(exact.decimal)), `${text} of ${exact.decimal}`);
      if (text.includes('.')) assert.ok(significant(text) <= 6, text);
    }),
  );
});

it('a column of amounts leaves room for the decimals that it shows', () => {
  const rows = [1n, 150_000_000_000n, 3_123_456n];
  const large = [1_12345678901n, 150_000_000_000n];
  const roomOf = (isCut: boolean, amounts = rows) => {
    const columns = [amountColumn<bigint>('Amount', (atoms) => exactAmount(atoms, 11), { isCut })];
    return [...markupOf(html`${table(amounts, { caption: 'Amount', columns })}`).matchAll(/class="f(\d+)"/g)].map(
      ([, room]) => Number(room),
    );
  };
  assert.deepEqual(roomOf(true), [11, 11, 11]);
  assert.deepEqual(roomOf(false), [11, 11, 11]);
  assert.deepEqual(roomOf(true, large), [4, 4]);
  assert.deepEqual(roomOf(false, large), [11, 11]);
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

it('a number at the axis of a chart has three significant digits', () => {
  const cases = { '1.2632276657': '1.26', '0.00012345': '0.000123', '1': '1', '123456': '123000', '9.999': '10' };
  for (const [decimal, text] of Object.entries(cases)) assert.equal(roundedText(decimal), text);
});
