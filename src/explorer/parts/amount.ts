/**
 * Amounts, aligned at the decimal point: exact, or in lists cut to a few decimals. The separators between digits are made by
 * the style, so they are not copied.
 */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import { escapeHtml, Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import type { Column } from './table.ts';

/** An amount in the two forms of the API. */
export interface ExactAmount {
  readonly atoms: Atoms;
  /** The amount in whole units, without trailing zeros. */
  readonly decimal: string;
}

export interface AmountOptions {
  /** The unit after the number: see `currencyUnit` and {@link coinUnit}. */
  readonly unit?: Html | undefined;
  /** The number of decimals to leave room for in an aligned column: see {@link maxDecimalsOf}. */
  readonly fraction?: number | undefined;
  /** The characters to leave room for before the point, in a left-aligned column: see {@link maxLeadOf}. */
  readonly lead?: number | undefined;
  /** Shows a plus sign, too. */
  readonly isSigned?: boolean;
  /** Cuts the amount to {@link LIST_DECIMALS} decimals, towards zero; the title then has all of it. */
  readonly isCut?: boolean;
}

/** The most decimals of an amount in a list. */
const LIST_DECIMALS = 4;

export function exactAmount(atoms: Atoms, decimals: number): ExactAmount {
  return { atoms, decimal: decimalText(atoms, decimals) };
}

/** Returns the largest number of decimals in a column. */
export function maxDecimalsOf(amounts: Iterable<ExactAmount>): number {
  let longest = 0;
  for (const { decimal } of amounts) longest = Math.max(longest, fractionOf(decimal).length);
  return longest;
}

export function amountHtml(
  { atoms, decimal }: ExactAmount,
  { unit, fraction, lead, isSigned = false, isCut = false }: AmountOptions = {},
): Html {
  const isNegative = decimal.startsWith('-');
  const sign = isNegative ? MINUS : isSigned && atoms > 0n ? '+' : '';
  const point = decimal.indexOf('.');
  const whole = decimal.slice(isNegative ? 1 : 0, point < 0 ? undefined : point);
  let digits = fractionOf(decimal);
  let title = '';
  let limit = '';
  if (isCut && digits.length > LIST_DECIMALS) {
    digits = digits.slice(0, LIST_DECIMALS);
    title = ` title="${decimal}"`;
    if (whole === '0' && Number(digits) === 0) {
      // Not nothing: between zero and the smallest number that is shown.
      digits = SMALLEST_DIGITS;
      limit = isNegative ? '&gt; ' : '&lt; ';
    }
  }
  const room = fraction === undefined ? '' : ` class="f${Math.min(fraction, MAX_FRACTION_DIGITS)}"`;
  const tail = digits === '' && room === '' ? '' : `<span${room}>${digits === '' ? '' : `.${digits}`}</span>`;
  let head = limit + sign + grouped(whole);
  if (lead !== undefined) head = `<span class="w${Math.min(lead, MAX_LEAD)}">${head}</span>`;
  const number = new Html(`<span class="amount" data-atoms="${atoms}"${title}>${head}${tail}</span>`);
  return unit === undefined ? number : html`${number} ${unit}`;
}

/** Returns the most characters before the point of cut amounts. */
export function maxLeadOf(amounts: Iterable<ExactAmount>): number {
  let longest = 1;
  for (const { atoms, decimal } of amounts) {
    const point = decimal.indexOf('.');
    const characters = point < 0 ? decimal.length : point;
    // Room for "< ", should it be needed.
    longest = Math.max(longest, atoms !== 0n && /^-?0/.test(decimal) ? characters + 2 : characters);
  }
  return longest;
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

type ColumnOptions = Pick<AmountOptions, 'isSigned' | 'isCut'> & { readonly missing?: Html };

/**
 * A column of amounts, aligned at the decimal point, cut unless `isCut` is false: that is for the page of the thing that has
 * these amounts. `missing` is shown for null.
 */
export function amountColumn<Row>(
  label: string,
  amountOf: (row: Row) => ExactAmount | null,
  { missing = DASH_HTML, isCut = true, isSigned = false }: ColumnOptions = {},
): Column<Row> {
  const cells = (rows: readonly Row[]) => {
    const amounts = rows.map(amountOf);
    const decimals = maxDecimalsOf(amounts.filter((each) => each !== null));
    const fraction = isCut ? Math.min(decimals, LIST_DECIMALS) : decimals;
    return amounts.map((each) => (each === null ? missing : amountHtml(each, { isSigned, isCut, fraction })));
  };
  return { label, kind: 'num sum', cells };
}

/** A column of cut amounts in several currencies, each with its unit: aligned at the point by the room before it. */
export function unitAmountColumn<Row>(
  label: string,
  amountOf: (row: Row) => { readonly amount: ExactAmount; readonly unit: Html },
): Column<Row> {
  const cells = (rows: readonly Row[]) => {
    const amounts = rows.map(amountOf);
    const lead = maxLeadOf(amounts.map(({ amount }) => amount));
    return amounts.map(({ amount, unit }) => amountHtml(amount, { unit, lead, isCut: true }));
  };
  return { label, cells };
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
/** The decimals of the smallest amount that a cut one can be. */
const SMALLEST_DIGITS = '1'.padStart(LIST_DECIMALS, '0');

/** The largest number of decimals, and of characters before the point, that the style has a class for. */
const MAX_FRACTION_DIGITS = 18;
const MAX_LEAD = 18;

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
