/** Times in UTC; the script shows them as what has passed since. */
import { Attributes, type Html, html } from '../html.ts';

/** "2026-01-31 12:00:00 UTC", of seconds since the epoch; the number itself where no calendar reaches. */
export function utcText(seconds: number): string {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return `${seconds} seconds since the epoch`;
  return `${date.toISOString().slice(0, -5).replace('T', ' ')} UTC`;
}

/** A time that the script makes relative; `isAbsolute`: it does not. */
export function time(seconds: number, { isAbsolute = false }: { readonly isAbsolute?: boolean } = {}): Html {
  const date = new Date(seconds * 1_000);
  const text = utcText(seconds);
  if (Number.isNaN(date.getTime())) return html`<span>${text}</span>`;
  const attributes = Attributes.of({
    datetime: date.toISOString().replace('.000', ''),
    title: text,
    'data-relative': !isAbsolute,
  });
  return html`<time${attributes}>${text}</time>`;
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** "2 days 3 hours": the two largest units of a duration in seconds. */
export function durationText(seconds: number | bigint): string {
  let left = BigInt(seconds);
  const parts: string[] = [];
  for (const [unit, name] of UNITS) {
    const number = left / BigInt(unit);
    left %= BigInt(unit);
    if (number > 0n && parts.length < 2) parts.push(`${number} ${name}${number === 1n ? '' : 's'}`);
    else if (parts.length > 0) break;
  }
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}
