/** Amounts as decimal text (docs/api.md#formats). */
import type { Atoms } from './types.ts';

const MAX_DECIMALS = 255;
const ZERO = 48;

/** Returns atoms as a number of whole units, without trailing zeros: "0", "1", "0.5". `decimals` is 0 to 255. */
export function decimalText(atoms: Atoms, decimals: number): string {
  return decimalTextOfDigits(`${atoms}`, decimals);
}

/** Returns the decimal text of atoms given as digits, with a minus before them if the amount is negative. */
export function decimalTextOfDigits(digits: string, decimals: number): string {
  if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS)) {
    throw new RangeError(`${decimals} decimals`);
  }
  if (decimals === 0 || digits === '0') return digits;
  if (digits.startsWith('-')) return `-${decimalTextOfDigits(digits.slice(1), decimals)}`;
  const point = digits.length - decimals;
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  if (end <= point) return digits.slice(0, point);
  return point > 0
    ? `${digits.slice(0, point)}.${digits.slice(point, end)}`
    : `0.${digits.slice(0, end).padStart(end - point, '0')}`;
}

/** Returns thousandths as a percentage: 50 as "5%", 123 as "12.3%". */
export function percentText(perThousand: number): string {
  return `${decimalText(BigInt(perThousand), 1)}%`;
}

/** Returns an amount with all its decimals: "1.00000000000". */
export function fixedDecimalText(atoms: Atoms, decimals: number): string {
  if (decimals === 0) return `${atoms}`;
  const digits = `${atoms}`.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
