/** Writes numbers to be read: with as many digits as say something, and shares as percentages. Nothing is rounded up. */
import { type BlockTarget, DIFFICULTY_DECIMALS } from '../../chain/compact-target.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { decimalIn, decimalMark } from '../words/formats.ts';

/** The significant digits of a number from 1 on: all before the point, and after it as many as fill this, but at most four. */
const DIGITS = 6;
/** The decimals of such a number, and the significant digits of one below 1. */
const DECIMALS = 4;

/**
 * Cuts a decimal number without a sign to four to six significant digits, towards zero; digits before the point are never cut.
 * "50357.46" gives "50357.4", "1.92000001" gives "1.9200", "0.00001234567" gives "0.00001234".
 */
export function cutNumber(decimal: string): string {
  const point = decimal.indexOf('.');
  if (point < 0) return decimal;
  const zeros = decimal.startsWith('0.') ? /^0\.(0*)/.exec(decimal)![1]!.length : 0;
  const decimals = decimal.startsWith('0.') ? zeros + DECIMALS : Math.min(DECIMALS, Math.max(0, DIGITS - point));
  return decimal.slice(0, decimals === 0 ? point : point + 1 + decimals);
}

/** Returns a ratio of two amounts, computed with floating point, with as many digits. */
export function ratioText(part: string, whole: string): string {
  return decimalIn(RATIO.format(Number(part) / Number(whole)));
}

const RATIO = new Intl.NumberFormat('en', { maximumSignificantDigits: DIGITS, useGrouping: false });

/** Returns a decimal number rounded to three significant digits, for the axis of a chart. */
export const roundedText = (decimal: string): string => decimalIn(ROUNDED.format(Number(decimal)));

const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });

/** Returns a share with two decimals, computed exactly, such as "12.34%"; "–" if the whole is 0. */
export function percentage(part: bigint, whole: bigint): string {
  return whole === 0n ? '–' : percentOf((part * 10_000n) / whole);
}

/** Returns a share, as a decimal number, in per cent: "0.66712" as "66.712%". */
export function percentageText(share: string): string {
  const [whole, fraction = ''] = share.split('.') as [whole: string, fraction?: string];
  return `${decimalText(BigInt(whole + fraction.padEnd(2, '0')), Math.max(0, fraction.length - 2))}%`;
}

/** Returns hundredths of a per cent as text: 1234 as "12.34%", with a minus before a negative share. */
export function percentOf(hundredths: bigint): string {
  const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0');
  return `${hundredths < 0n ? '−' : ''}${digits.slice(0, -2)}${decimalMark()}${digits.slice(-2)}%`;
}

/** Returns the difficulty of a block, cut as {@link cutNumber} does; "–" if it has none. */
export function difficultyText(found: BlockTarget | null): string {
  return typeof found?.difficulty === 'bigint'
    ? decimalIn(cutNumber(decimalText(found.difficulty, DIFFICULTY_DECIMALS)))
    : '–';
}
