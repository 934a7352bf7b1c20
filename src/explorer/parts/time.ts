/** Renders times in UTC, in English as ISO 8601 writes them. The script shows how much time has passed since then. */

import { DAY_SECONDS } from '../../chain/calendar.ts';
import { Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { timeIn } from '../words/formats.ts';

/** Returns "2026-01-31 12:00:00 UTC" for seconds since the epoch, or the number itself outside the calendar. */
export function utcText(seconds: number): string {
  const iso = isoText(seconds);
  return iso === null ? textOf(say('{seconds} seconds since the epoch', { seconds })) : utcOf(iso);
}

/** The last second of JavaScript's dates, since the epoch. */
export const LAST_SECOND = 8_640_000_000_000;

/**
 * The last day that was written. A list has many times of few days, and a `Date` for each took a twentieth of a page's
 * time.
 */
let lastDay = { day: 0, text: '1970-01-01' };

/** Returns "2026-01-31T12:00:00" for whole seconds, or null outside the calendar. */
function isoText(seconds: number): string | null {
  if (!(Math.abs(seconds) <= LAST_SECOND)) return null;
  const day = Math.floor(seconds / DAY_SECONDS);
  if (day !== lastDay.day) {
    lastDay = { day, text: new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, -'T00:00:00.000Z'.length) };
  }
  const rest = seconds - day * DAY_SECONDS;
  return `${lastDay.text}T${twoDigits(rest / 3_600)}:${twoDigits((rest / 60) % 60)}:${twoDigits(rest % 60)}`;
}

function twoDigits(number: number): string {
  const text = String(Math.floor(number));
  return text.length < 2 ? `0${text}` : text;
}

function utcOf(iso: string): string {
  return `${iso.replace('T', ' ')} UTC`;
}

/** Returns the text of a day that is counted from the epoch. */
export const dayOf = (day: number): string => dayText(day * DAY_SECONDS);

/** Returns the day of a time, UTC: "2026-01-31". */
export function dayText(seconds: number): string {
  return isoText(seconds)?.slice(0, '2026-01-31'.length) ?? String(seconds);
}

/**
 * Renders a time. The script replaces the text of a `relative` time by the time that has passed since, and adds the passed time to
 * the text of `both`. `bare`: the time without "UTC", for a column of times in UTC.
 */
export function timeHtml(seconds: number, shown: ShownTime = 'relative'): Html {
  const iso = isoText(seconds);
  if (iso === null) return html`<span>${utcText(seconds)}</span>`;
  const text = utcOf(iso);
  const whole = timeIn(seconds) ?? text;
  const words = shown === 'day' ? dayText(seconds) : shown === 'bare' ? whole.replace(/ UTC$/, '') : whole;
  return new Html(`<time datetime="${iso}Z" title="${text}"${RELATIVE[shown]}>${words}</time>`);
}

export type ShownTime = keyof typeof RELATIVE;

const RELATIVE = {
  relative: ' data-relative',
  both: ' data-relative="after"',
  absolute: '',
  day: ' data-bare',
  bare: ' data-bare',
} as const;

/** Renders the time of a block, which leads to the block. */
export const blockTime = (site: Site, height: number, timestamp: number): Html =>
  html`<a href="${site.href(`/block/${height}`)}">${timeHtml(timestamp)}</a>`;

/** Renders a block by its height, with its time. */
export function blockAndTime(site: Site, height: number, timestamp: number, shown?: 'absolute'): Html {
  // A link of a short number alone would be narrower than the least width of links, and a gap would be before the comma.
  return html`<a href="${site.href(`/block/${height}`)}">block ${height}</a>, ${timeHtml(timestamp, shown)}`;
}
