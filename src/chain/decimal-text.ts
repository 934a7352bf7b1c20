/** Amounts as decimal text (docs/api.md#formats). */
import type { Atoms } from './types.ts';

const POWERS_OF_TEN = Array.from({ length: 256 }, (_, exponent) => 10n ** BigInt(exponent));
/** Up to here a double counts exactly. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Atoms as a number of whole units, without trailing zeros or point: "0", "1", "0.5". `decimals` is 0 to 255. */
export function decimalText(atoms: Atoms, decimals: number): string {
  const unit = POWERS_OF_TEN[decimals];
  if (unit === undefined) throw new RangeError(`${decimals} decimals`);
  if (decimals === 0 || atoms === 0n) return `${atoms}`;
  if (atoms < 0n) return `-${decimalText(-atoms, decimals)}`;
  if (atoms <= MAX_EXACT && unit <= MAX_EXACT) return smallText(Number(atoms), Number(unit), decimals);
  const fraction = atoms % unit;
  return fraction === 0n ? `${atoms / unit}` : `${atoms / unit}.${fractionText(`${fraction}`, decimals)}`;
}

/** The same with all of the decimals shown: "1.00000000000". */
export function fixedDecimalText(atoms: Atoms, decimals: number): string {
  if (decimals === 0) return `${atoms}`;
  const digits = `${atoms}`.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function smallText(atoms: number, unit: number, decimals: number): string {
  const fraction = atoms % unit;
  const whole = (atoms - fraction) / unit;
  return fraction === 0 ? `${whole}` : `${whole}.${fractionText(`${fraction}`, decimals)}`;
}

/** The digits behind the point: leading zeros added, trailing zeros cut. */
function fractionText(digits: string, decimals: number): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end -= 1;
  return digits.slice(0, end).padStart(decimals - (digits.length - end), '0');
}
