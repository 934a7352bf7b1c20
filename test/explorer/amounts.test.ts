/** Amounts on pages: exact, and in lists cut to four decimals. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { html, markupOf } from '../../src/explorer/html.ts';
import { amountColumn, amountHtml, type ExactAmount, exactAmount } from '../../src/explorer/parts/amount.ts';
import { table } from '../../src/explorer/parts/table.ts';
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

it('an amount in a list is cut to four decimals, never rounded, and is whole in its title', () => {
  const cases: readonly (readonly [atoms: bigint, text: string, title: string | undefined])[] = [
    [0n, '0', undefined],
    [1_50000000000n, '1.5', undefined],
    [1_00010000000n, '1.0001', undefined],
    [1_99999999999n, '1.9999', '1.99999999999'],
    [1_00004000000n, '1.0000', '1.00004'],
    [99999n, '< 0.0001', '0.00000099999'],
    [1n, '< 0.0001', '0.00000000001'],
    [10000000n, '0.0001', undefined],
    [10000001n, '0.0001', '0.00010000001'],
    [-1_99999999999n, '−1.9999', '-1.99999999999'],
    [-1n, '> −0.0001', '-0.00000000001'],
  ];
  for (const [atoms, text, title] of cases) {
    const amount = shown(exactAmount(atoms, 11), { isCut: true });
    assert.equal(amount.text, text);
    assert.equal(amount.attribute('title'), title);
    assert.equal(amount.attribute('data-atoms'), String(atoms));
  }
  assert.equal(shown(exactAmount(7n, 11), { isCut: true, isSigned: true }).text, '< +0.0001');
});

it('a cut amount lies within a ten-thousandth of the exact one, on the side of zero', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.integer({ min: 0, max: 18 }), (atoms, decimals) => {
      const text = shown(exactAmount(atoms, decimals), { isCut: true }).text.replace('−', '-');
      const unit = 10n ** BigInt(decimals);
      if (/^[<>]/.test(text)) {
        assert.ok(atoms !== 0n && (atoms < 0n ? -atoms : atoms) * 10_000n < unit, text);
        return;
      }
      assert.match(text, /^-?\d+(\.\d{1,4})?$/);
      const [whole, fraction = ''] = text.replace('-', '').split('.');
      const cut = BigInt(whole! + fraction.padEnd(4, '0'));
      const exact = atoms < 0n ? -atoms : atoms;
      assert.equal(cut, (exact * 10_000n) / unit);
      assert.equal(text.startsWith('-'), atoms < 0n);
    }),
  );
});

it('a column of amounts leaves room for four decimals at most, one that is not cut for all', () => {
  const rows = [1n, 150_000_000_000n, 3_123_456n];
  const roomOf = (isCut: boolean) => {
    const columns = [amountColumn<bigint>('Amount', (atoms) => exactAmount(atoms, 11), { isCut })];
    return [
      ...markupOf(html`${table(rows, { caption: 'Amounts', empty: '', columns })}`).matchAll(/class="f(\d+)"/g),
    ].map(([, room]) => Number(room));
  };
  assert.deepEqual(roomOf(true), [4, 4, 4]);
  assert.deepEqual(roomOf(false), [11, 11, 11]);
});
