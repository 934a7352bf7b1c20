/** Amounts: exact, aligned at the point, with separators that are style and are not copied. */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import { escapeHtml, Html, type HtmlValue, html } from '../html.ts';
import type { Site } from '../site.ts';
import type { Column } from './table.ts';

/** An amount in the form that the API gives it in. */
export interface ExactAmount {
  readonly atoms: Atoms;
  /** The same in whole units, without trailing zeros. */
  readonly decimal: string;
}

interface AmountOptions {
  /** What stands behind the number: see `currencyLabel` and {@link coinUnit}. */
  readonly unit?: Html | undefined;
  /** Digits behind the point to leave room for, so that a column is aligned: see {@link fractionLength}. */
  readonly fraction?: number | undefined;
  /** Shows a plus, too. */
  readonly isSigned?: boolean;
}

export function exactAmount(atoms: Atoms, decimals: number): ExactAmount {
  return { atoms, decimal: decimalText(atoms, decimals) };
}

/** Longest fraction of the amounts of a column. */
export function fractionLength(amounts: Iterable<ExactAmount>): number {
  let longest = 0;
  for (const { decimal } of amounts) longest = Math.max(longest, fractionOf(decimal).length);
  return longest;
}

export function amount({ atoms, decimal }: ExactAmount, { unit, fraction, isSigned }: AmountOptions = {}): Html {
  const sign = decimal.startsWith('-') ? MINUS : isSigned && atoms > 0n ? '+' : '';
  const point = decimal.indexOf('.');
  const whole = decimal.slice(decimal.startsWith('-') ? 1 : 0, point < 0 ? undefined : point);
  const digits = fractionOf(decimal);
  const room = fraction === undefined ? '' : ` class="f${Math.min(fraction, MAX_FRACTION_DIGITS)}"`;
  const tail = digits === '' && room === '' ? '' : `<span${room}>${digits === '' ? '' : `.${digits}`}</span>`;
  const number = new Html(`<span class="amount" data-atoms="${atoms}">${sign}${grouped(whole)}${tail}</span>`);
  return unit === undefined ? number : html`${number} ${unit}`;
}

/** An amount of the coin, with its ticker. */
export function coinAmount(site: Site, atoms: Atoms, options: Omit<AmountOptions, 'unit'> = {}): Html {
  return amount(exactAmount(atoms, site.network.coinDecimals), { ...options, unit: coinUnit(site) });
}

export function coinUnit({ network }: Site): Html {
  return html`<span class="unit">${network.coinTicker}</span>`;
}

/** A count: of blocks, transactions, bytes. */
export function count(value: number | bigint): Html {
  return new Html(`<span class="number">${grouped(String(value))}</span>`);
}

/** A share with two decimals, computed exactly: "12.34%". Of nothing it is "–". */
export function percentage(part: bigint, whole: bigint): string {
  if (whole === 0n) return '–';
  const hundredths = (part * 10_000n) / whole;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}%`;
}

/** What stands where there is nothing to say, and for what nobody knows. */
export const DASH = html`<span class="muted">–</span>`;
export const NOT_KNOWN = html`<span class="muted">unknown</span>`;
export const NONE = html`<span class="muted">none</span>`;

/** Amounts below each other, aligned at the point. `missing` stands for null. */
export function amountColumn<Row>(
  label: HtmlValue,
  amountOf: (row: Row) => ExactAmount | null,
  { missing = DASH, ...options }: Pick<AmountOptions, 'isSigned'> & { readonly missing?: Html } = {},
): Column<Row> {
  const cells = (rows: readonly Row[]) => {
    const amounts = rows.map(amountOf);
    const fraction = fractionLength(amounts.filter((each) => each !== null));
    return amounts.map((each) => (each === null ? missing : amount(each, { ...options, fraction })));
  };
  return { label, kind: 'num', cells };
}

/** The same of the coin, whose ticker is added to the label. */
export function coinColumn<Row>(
  { network: { coinDecimals, coinTicker } }: Site,
  label: string,
  atomsOf: (row: Row) => Atoms | null,
): Column<Row> {
  return amountColumn(`${label}, ${coinTicker}`, (row) => {
    const atoms = atomsOf(row);
    return atoms === null ? null : exactAmount(atoms, coinDecimals);
  });
}

const MINUS = escapeHtml('−');

/** What the style has a class for. */
const MAX_FRACTION_DIGITS = 18;

function fractionOf(decimal: string): string {
  const point = decimal.indexOf('.');
  return point < 0 ? '' : decimal.slice(point + 1);
}

/** Digits in groups of three, the space between them made by the style. */
function grouped(digits: string): string {
  if (digits.length <= 3) return digits;
  const first = digits.length % 3;
  let text = digits.slice(0, first);
  for (let i = first; i < digits.length; i += 3) {
    text += i === 0 ? digits.slice(i, i + 3) : `<span class="g">${digits.slice(i, i + 3)}</span>`;
  }
  return text;
}
