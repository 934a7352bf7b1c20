/**
 * Amounts: exact, aligned at the decimal point. The separators between digits are made by the style, so they are not
 * copied.
 */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import { escapeHtml, Html, type HtmlValue, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import type { Column } from './table.ts';

/** An amount in the two forms of the API. */
export interface ExactAmount {
  readonly atoms: Atoms;
  /** The amount in whole units, without trailing zeros. */
  readonly decimal: string;
}

interface AmountOptions {
  /** The unit after the number: see `currencyUnit` and {@link coinUnit}. */
  readonly unit?: Html | undefined;
  /** The number of decimals to leave room for in an aligned column: see {@link maxDecimalsOf}. */
  readonly fraction?: number | undefined;
  /** Shows a plus sign, too. */
  readonly isSigned?: boolean;
}

export function exactAmount(atoms: Atoms, decimals: number): ExactAmount {
  return { atoms, decimal: decimalText(atoms, decimals) };
}

/** Returns the largest number of decimals in a column. */
export function maxDecimalsOf(amounts: Iterable<ExactAmount>): number {
  let longest = 0;
  for (const { decimal } of amounts) longest = Math.max(longest, fractionOf(decimal).length);
  return longest;
}

export function amountHtml({ atoms, decimal }: ExactAmount, { unit, fraction, isSigned }: AmountOptions = {}): Html {
  const sign = decimal.startsWith('-') ? MINUS : isSigned && atoms > 0n ? '+' : '';
  const point = decimal.indexOf('.');
  const whole = decimal.slice(decimal.startsWith('-') ? 1 : 0, point < 0 ? undefined : point);
  const digits = fractionOf(decimal);
  const room = fraction === undefined ? '' : ` class="f${Math.min(fraction, MAX_FRACTION_DIGITS)}"`;
  const tail = digits === '' && room === '' ? '' : `<span${room}>${digits === '' ? '' : `.${digits}`}</span>`;
  const number = new Html(`<span class="amount" data-atoms="${atoms}">${sign}${grouped(whole)}${tail}</span>`);
  return unit === undefined ? number : html`${number} ${unit}`;
}

/** Renders an amount of the coin with its ticker. */
export function coinAmount(site: Site, atoms: Atoms, options: Omit<AmountOptions, 'unit'> = {}): Html {
  return amountHtml(exactAmount(atoms, site.network.coinDecimals), { ...options, unit: coinUnit(site) });
}

export function coinUnit({ network }: Site): Html {
  return html`<span class="unit">${network.coinTicker}</span>`;
}

/** Renders a number of blocks, transactions or bytes. */
export function countHtml(value: number | bigint): Html {
  return new Html(`<span class="number">${grouped(String(value))}</span>`);
}

/** Returns a share with two decimals, computed exactly, such as "12.34%"; "–" if the whole is 0. */
export function percentage(part: bigint, whole: bigint): string {
  if (whole === 0n) return '–';
  const hundredths = (part * 10_000n) / whole;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}%`;
}

/** Shown if there is no value, or if it is unknown. */
export const DASH_HTML = html`<span class="muted">–</span>`;
export const UNKNOWN_HTML = html`<span class="muted">unknown</span>`;
export const NONE_HTML = html`<span class="muted">none</span>`;

/** A column of amounts, aligned at the decimal point. `missing` is shown for null. */
export function amountColumn<Row>(
  label: HtmlValue,
  amountOf: (row: Row) => ExactAmount | null,
  { missing = DASH_HTML, ...options }: Pick<AmountOptions, 'isSigned'> & { readonly missing?: Html } = {},
): Column<Row> {
  const cells = (rows: readonly Row[]) => {
    const amounts = rows.map(amountOf);
    const fraction = maxDecimalsOf(amounts.filter((each) => each !== null));
    return amounts.map((each) => (each === null ? missing : amountHtml(each, { ...options, fraction })));
  };
  return { label, kind: 'num', cells };
}

/** A column of coin amounts, with the ticker in its label. */
export function coinColumn<Row, Sort extends string = never>(
  { network: { coinDecimals, coinTicker } }: Site,
  label: string,
  atomsOf: (row: Row) => Atoms,
  sort?: Sort,
): Column<Row, Sort> {
  const amounts = amountColumn<Row>(`${label}, ${coinTicker}`, (row) => exactAmount(atomsOf(row), coinDecimals));
  return { ...amounts, sort };
}

const MINUS = escapeHtml('−');

/** The largest number of decimals that the style has a class for. */
const MAX_FRACTION_DIGITS = 18;

function fractionOf(decimal: string): string {
  const point = decimal.indexOf('.');
  return point < 0 ? '' : decimal.slice(point + 1);
}

/** Groups the digits by three; the style makes the space between groups. */
function grouped(digits: string): string {
  if (digits.length <= 3) return digits;
  const first = digits.length % 3;
  let text = digits.slice(0, first);
  for (let i = first; i < digits.length; i += 3) {
    text += i === 0 ? digits.slice(i, i + 3) : `<span class="g">${digits.slice(i, i + 3)}</span>`;
  }
  return text;
}
