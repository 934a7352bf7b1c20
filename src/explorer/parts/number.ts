/** Writes numbers to be read: with as many digits as say something, and shares as percentages, rounded half away from zero. */
import { type BlockTarget, DIFFICULTY_DECIMALS } from '../../chain/compact-target.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { localDecimal, localPercent } from '../words/formats.ts';

/** The significant digits of a number from 1 on: all before the point, and after it as many as fill this, but at most four. */
const DIGITS = 6;
/** The decimals of such a number, and the significant digits of one below 1. */
const DECIMALS = 4;

/**
 * Rounds a decimal number to four to six significant digits, half away from zero; digits before the point all stay, zeros
 * at the end do not. "50357.46" gives "50357.5", "1.92000001" gives "1.92", "0.00001234567" gives "0.00001235".
 */
export function roundNumber(decimal: string): string {
  const sign = decimal.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = decimal.slice(sign.length).split('.') as [whole: string, fraction?: string];
  const decimals =
    whole === '0' ? /^0*/.exec(fraction)![0].length + DECIMALS : Math.min(DECIMALS, Math.max(0, DIGITS - whole.length));
  if (fraction.length <= decimals) return decimal;
  const units = roundedQuotient(BigInt(whole + fraction), 10n ** BigInt(fraction.length - decimals));
  const digits = String(units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  // One digit more than before, as of 9.99999, may be one too many.
  return withoutZeros(
    roundNumber(`${sign}${digits.slice(0, point)}${decimals === 0 ? '' : `.${digits.slice(point)}`}`),
  );
}

const withoutZeros = (decimal: string): string => decimal.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

/** Rounds a decimal number to so many decimals, half away from zero; what is more than nothing does not become nothing. */
export function fixedNumber(decimal: string, decimals: number): string {
  const sign = decimal.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = decimal.slice(sign.length).split('.') as [whole: string, fraction?: string];
  if (fraction.length <= decimals)
    return decimals === 0 ? decimal : `${sign}${whole}.${fraction.padEnd(decimals, '0')}`;
  const units = roundedQuotient(BigInt(whole + fraction), 10n ** BigInt(fraction.length - decimals));
  return units === 0n
    ? `${sign}<${decimalText(1n, decimals)}`
    : sign + fixedNumber(decimalText(units, decimals), decimals);
}

/** Returns the decimals that all numbers of a column have: few beside large ones, and no more than one of them needs. */
export function columnDecimals(decimals: readonly string[]): number {
  let [digits, zeros] = [0, Number.POSITIVE_INFINITY];
  for (const decimal of decimals) {
    const [whole, fraction = ''] = decimal.replace('-', '').split('.') as [whole: string, fraction?: string];
    if (whole !== '0') digits = Math.max(digits, whole.length);
    else if (fraction !== '') zeros = Math.min(zeros, /^0*/.exec(fraction)![0].length);
  }
  const few = digits > 3 ? 2 : digits > 0 ? DECIMALS : DECIMALS + (Number.isFinite(zeros) ? zeros : 0);
  const needed = decimals.map((decimal) => withoutZeros(fixedNumber(decimal, few)).split('.')[1]?.length ?? 0);
  const most = Math.max(0, ...needed);
  // Of money nobody writes one decimal.
  return most === 1 && few > 1 ? 2 : most;
}

/** Divides by a positive number, and rounds half away from zero. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor;
  return (2n * dividend + half) / (2n * divisor);
}

/** Returns a ratio of two amounts, computed with floating point, with as many digits. */
export function ratioText(part: string, whole: string): string {
  return localDecimal(RATIO.format(Number(part) / Number(whole)));
}

const RATIO = new Intl.NumberFormat('en', { maximumSignificantDigits: DIGITS, useGrouping: false });

/** Returns a decimal number rounded to three significant digits, for the axis of a chart. */
export const roundedText = (decimal: string): string => localDecimal(ROUNDED.format(Number(decimal)));

const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });

/**
 * Returns a share with two decimals, such as "12.34%"; "–" if the whole is 0. What is more than nothing and less than the whole is
 * neither "0.00%" nor "100.00%".
 */
export function percentage(part: bigint, whole: bigint): string {
  if (whole === 0n) return '–';
  const hundredths = roundedQuotient(part * HUNDRED_PERCENT, whole);
  if (part > 0n && hundredths === 0n) return `<${percentOf(1n)}`;
  if (part < whole && hundredths === HUNDRED_PERCENT) return `>${percentOf(HUNDRED_PERCENT - 1n)}`;
  return percentOf(hundredths);
}

/** In hundredths of a per cent. */
const HUNDRED_PERCENT = 10_000n;

/** Returns a share, as a decimal number, in per cent: "0.66712" as "66.712%". */
export function percentageText(share: string): string {
  const [whole, fraction = ''] = share.split('.') as [whole: string, fraction?: string];
  return `${decimalText(BigInt(whole + fraction.padEnd(2, '0')), Math.max(0, fraction.length - 2))}%`;
}

/** Returns hundredths of a per cent as text: 1234 as "12.34%", with a minus before a negative share. */
export function percentOf(hundredths: bigint): string {
  const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0');
  return (hundredths < 0n ? '−' : '') + localPercent(`${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** Returns the difficulty of a block, rounded as {@link roundNumber} does; "–" if it has none. */
export function difficultyText(found: BlockTarget | null): string {
  return typeof found?.difficulty === 'bigint'
    ? localDecimal(roundNumber(decimalText(found.difficulty, DIFFICULTY_DECIMALS)))
    : '–';
}
