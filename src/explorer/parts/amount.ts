/**
 * Amounts, aligned at the decimal point: exact, or rounded to the digits that say something, with the exact amount in a detail that
 * opens by tap and by key. The separators between digits are made by the style, so they are not copied.
 */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import type { AMOUNT_SCHEMA } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import { escapeHtml, Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { decimalMark, localDecimal } from '../words/formats.ts';
import { columnDecimals, fixedNumber, roundNumber } from './number.ts';
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
  /** Shows a plus sign, too, and the colour of what comes in or goes out. */
  readonly isSigned?: boolean;
  /**
   * Rounds the amount as {@link roundNumber} does. All of it is in a detail; of `inline`, in a sentence whose row leads to the
   * whole, only in the title.
   */
  readonly isRounded?: boolean | 'inline';
  /** The decimals of a rounded amount in a column; its own by default. */
  readonly decimals?: number | undefined;
  /** What the detail has besides: the exact ratio of a price. */
  readonly more?: Html | undefined;
}

export function exactAmount(atoms: Atoms, decimals: number): ExactAmount {
  return { atoms, decimal: decimalText(atoms, decimals) };
}

/** The amount of stored JSON. */
export function exactAmountOfJson({ atoms, decimal }: ValueOf<typeof AMOUNT_SCHEMA>): ExactAmount {
  return { atoms: BigInt(atoms), decimal };
}

/** Returns the most decimals of rounded amounts. */
export function maxDecimalsOf(amounts: readonly ExactAmount[]): number {
  return Math.max(0, ...amounts.map(({ decimal }) => roundNumber(decimal).split('.')[1]?.length ?? 0));
}

export function amountHtml(
  { atoms, decimal }: ExactAmount,
  { unit, isSigned = false, isRounded = false, decimals, more }: AmountOptions = {},
): Html {
  // What has no decimals, as an NFT, is whole in every column, and nothing is a plain 0.
  const isIndivisible = decimal === String(atoms);
  const isFixed = decimals !== undefined && !isIndivisible;
  const shown = isFixed ? fixedNumber(decimal, decimals) : isRounded ? roundNumber(decimal) : decimal;
  const sign = decimal.startsWith('-') ? MINUS : isSigned && atoms > 0n ? '+' : '';
  const [whole, digits = ''] = shown.replace('-', '').replace('<', '').split('.') as [whole: string, digits?: string];
  const tail = digits === '' ? '' : `<span>${fractionMarkup(digits, !isRounded)}</span>`;
  const head = sign + (shown.includes('<') ? '&lt;' : '') + grouped(whole);
  const name = `amount${isSigned && atoms !== 0n ? (atoms > 0n ? ' in' : ' out') : ''}`;
  const isWhole = (shown === decimal || isPadded(shown, decimal)) && more === undefined;
  const number =
    isWhole || isRounded === 'inline'
      ? `<span class="${name}" data-atoms="${atoms}"${isWhole ? '' : ` title="${localDecimal(decimal)}"`}>${head}${tail}</span>`
      : `<details class="${name}" data-atoms="${atoms}"><summary>${head}${tail}</summary><span>${localDecimal(decimal)}${more ?? ''}</span></details>`;
  return unit === undefined ? new Html(number) : html`${new Html(number)} ${unit}`;
}

/** Of the many decimals of an exact amount the last ones are paler: few people read them. */
const fractionMarkup = (digits: string, isExact: boolean): string =>
  decimalMark() +
  (isExact && digits.length > MOST_STRONG_DECIMALS + 1
    ? `${digits.slice(0, MOST_STRONG_DECIMALS)}<span class="muted">${digits.slice(MOST_STRONG_DECIMALS)}</span>`
    : digits);

const MOST_STRONG_DECIMALS = 4;

/** Renders an amount of the coin with its ticker. */
export function coinAmount(site: Site, atoms: Atoms, options: Omit<AmountOptions, 'unit'> = {}): Html {
  return amountHtml(exactAmount(atoms, site.network.coinDecimals), { ...options, unit: coinUnit(site) });
}

export function coinUnit({ network }: Site): Html {
  return html`<span class="unit">${network.coinTicker}</span>`;
}

/** Renders a number of blocks, transactions or bytes. */
export function countHtml(value: number | bigint): Html {
  return numberHtml(String(value));
}

/** Renders a decimal number. */
export function numberHtml(decimal: string): Html {
  const [whole, digits] = decimal.split('.') as [whole: string, digits?: string];
  return new Html(`<span class="number">${grouped(whole)}${digits === undefined ? '' : decimalMark() + digits}</span>`);
}

/** Shown if there is no value, or if it is unknown. */
export const DASH_HTML = html`<span class="muted dash">–</span>`;
export const unknownHtml = () => html`<span class="muted">unknown</span>`;
export const noneHtml = () => html`<span class="muted">none</span>`;

interface ColumnOptions<Row> extends Pick<AmountOptions, 'isSigned'> {
  readonly missing?: Html;
  readonly more?: (row: Row) => Html | undefined;
  /** Do all of them keep their significant digits? */
  readonly isPrice?: boolean;
  /** The decimals of rounded amounts, for columns that are alike; what these amounts need by default. */
  readonly decimals?: number;
}

/**
 * A column of rounded amounts, aligned at the decimal point. `missing` is shown for null.
 */
export function amountColumn<Row>(
  label: Words,
  amountOf: (row: Row) => ExactAmount | null,
  { missing = DASH_HTML, isSigned = false, isPrice = false, decimals, more }: ColumnOptions<Row> = {},
): Column<Row> {
  const cells = (rows: readonly Row[]) => {
    const amounts = rows.map(amountOf);
    const known = amounts.filter((each) => each !== null);
    const common = decimals ?? (isPrice ? maxDecimalsOf(known) : columnDecimals(known.map(({ decimal }) => decimal)));
    return amounts.map((each, i) =>
      each === null
        ? missing
        : amountHtml(each, { isSigned, isRounded: true, decimals: common, more: more?.(rows[i]!) }),
    );
  };
  return { label, kind: 'num sum', cells };
}

/** A column of rounded amounts in several currencies, each with its unit, or null. */
export function unitAmountColumn<Row>(
  label: Words,
  amountOf: (row: Row) => { readonly amount: ExactAmount; readonly unit: Html } | null,
): Column<Row> {
  const cell = (row: Row) => {
    const shown = amountOf(row);
    return shown && amountHtml(shown.amount, { unit: shown.unit, isRounded: true });
  };
  return { label, kind: 'num', cells: (rows) => rows.map(cell) };
}

/** A column of coin amounts, with the ticker in its label. */
export function coinColumn<Row, Sort extends string = never>(
  { network: { coinDecimals, coinTicker } }: Site,
  label: Words,
  atomsOf: (row: Row) => Atoms | null,
  sort?: Sort,
): Column<Row, Sort> {
  const amounts = amountColumn<Row>(say('{label}, {unit}', { label: textOf(label), unit: coinTicker }), (row) => {
    const atoms = atomsOf(row);
    return atoms === null ? null : exactAmount(atoms, coinDecimals);
  });
  return { ...amounts, sort };
}

/** Is it the same number with zeros at its end? */
const isPadded = (shown: string, decimal: string): boolean =>
  shown.startsWith(decimal) && /^\.?0*$/.test(shown.slice(decimal.length));

const MINUS = escapeHtml('−');

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
