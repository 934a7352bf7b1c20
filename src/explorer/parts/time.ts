/** Times in UTC; the script shows them as what has passed since. */
import { type Html, html } from '../html.ts';

/** "2026-01-31 12:00:00 UTC", of seconds since the epoch; the number itself where no calendar reaches. */
export function utcText(seconds: number): string {
  const iso = isoText(seconds);
  return iso === null ? `${seconds} seconds since the epoch` : utcOf(iso);
}

/** "2026-01-31T12:00:00", null where no calendar reaches. */
function isoText(seconds: number): string | null {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, -'.000Z'.length);
}

function utcOf(iso: string): string {
  return `${iso.replace('T', ' ')} UTC`;
}

/** A time that the script makes relative; `isAbsolute`: it does not. */
export function time(seconds: number, { isAbsolute = false }: { readonly isAbsolute?: boolean } = {}): Html {
  const iso = isoText(seconds);
  if (iso === null) return html`<span>${utcText(seconds)}</span>`;
  const text = utcOf(iso);
  return isAbsolute
    ? html`<time datetime="${iso}Z" title="${text}">${text}</time>`
    : html`<time datetime="${iso}Z" title="${text}" data-relative>${text}</time>`;
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
