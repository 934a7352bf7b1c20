/** Prices of orders: exact ratios, and how they are printed. */
import type { Atoms } from '../chain/types.ts';

const SIGNIFICANT_DIGITS = 18;

/** Quote atoms per base atom in lowest terms. */
export interface Ratio {
  readonly numerator: Atoms;
  readonly denominator: Atoms;
}

export function ratio(quoteAtoms: Atoms, baseAtoms: Atoms): Ratio {
  let [a, b] = [quoteAtoms, baseAtoms];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? { numerator: 0n, denominator: 1n } : { numerator: quoteAtoms / a, denominator: baseAtoms / a };
}

/**
 * The price in whole units of the quote currency for one of the base currency, as a decimal number with at most 18
 * significant digits, rounded to the nearest (halves up), without trailing zeros.
 */
export function priceText({ numerator, denominator }: Ratio, quoteDecimals: number, baseDecimals: number): string {
  if (numerator === 0n) return '0';
  const top = numerator * 10n ** BigInt(baseDecimals);
  const bottom = denominator * 10n ** BigInt(quoteDecimals);
  // As many decimal places as give 18 digits from the first that is not zero; the length of the quotient may be one off.
  let places = SIGNIFICANT_DIGITS - (`${top}`.length - `${bottom}`.length);
  let digits = rounded(top, bottom, places);
  if (`${digits}`.length > SIGNIFICANT_DIGITS) digits = rounded(top, bottom, --places);
  if (places <= 0) return `${digits * 10n ** BigInt(-places)}`;
  const text = `${digits}`.padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -places) : `${text.slice(0, -places)}.${fraction}`;
}

/** `top / bottom · 10^places` to the nearest integer. */
function rounded(top: bigint, bottom: bigint, places: number): bigint {
  const scaledTop = places >= 0 ? top * 10n ** BigInt(places) : top;
  const scaledBottom = places >= 0 ? bottom : bottom * 10n ** BigInt(-places);
  return (2n * scaledTop + scaledBottom) / (2n * scaledBottom);
}
