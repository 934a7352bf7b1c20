/** Finds days, months, years and times in a text, in the spellings that people use. All are of UTC. */
import { DAY_SECONDS, HOUR_SECONDS } from '../chain/calendar.ts';
import { monthNamed, parseAgo, type TimeUnit, weekdayIn } from './relative-times.ts';

/** A day, a week, a month or a year. */
export interface SearchedPeriod {
  /** As ISO 8601 writes it: "2026-01-31", "2026-01" or "2026"; "2026-01-26/2026-02-01" for a week. */
  readonly name: string;
  /** Its first second since the epoch. */
  readonly from: number;
  /** The first second after it. */
  readonly to: number;
}

/**
 * 2026-01-31, 2026/1/31, 2026-01, 2026; 31.1.2026, 1/2026; 31 January 2026, Jan 2026, 31 de enero de 2026; Jan 31, 2026; 2026年1月31日.
 * Without a year: 31 January, Jan 31, 1月31日.
 */
const FORMS = [
  /^(?<year>\d{4})(?:[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2}))?)?$/,
  /^(?:(?<day>\d{1,2})\.\s?)?(?<month>\d{1,2})[-/.]\s?(?<year>\d{4})$/,
  /^(?:(?<day>\d{1,2})(?:st|nd|rd|th|\.)?\s(?:de\s)?)?(?<month>\p{L}{3,10})\.?,?\s(?:del?\s)?(?<year>\d{4})$/u,
  /^(?<month>\p{L}{3,10})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?<year>\d{4})$/u,
  /^(?<year>\d{4})\s?年(?:\s?(?<month>\d{1,2})\s?月(?:\s?(?<day>\d{1,2})\s?[日号])?)?$/u,
  /^(?<day>\d{1,2})(?:st|nd|rd|th|\.)?\s(?:de\s)?(?<month>\p{L}{3,10})\.?$/u,
  /^(?<month>\p{L}{3,10})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th|\.)?$/u,
  /^(?<month>\d{1,2})\s?月\s?(?<day>\d{1,2})\s?[日号]$/u,
];
/** 20261115, which is also a height: a day from 2020 on, up to the next year. */
const EIGHT_DIGITS = /^(?<year>20[2-9]\d)(?<month>\d\d)(?<day>\d\d)$/;
/** Some write the month first, others the day: 10/11/2026. */
const IN_EITHER_ORDER = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/;
const TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d{1,9})?)?\s?(?:z|utc|gmt)?`;
/** A time of day after its day, before it, or alone: "2026-01-31T12:00:00.000Z", "Jan 31, 2026, 9:30 UTC", "14:30 yesterday". */
const WITH_TIME = [
  new RegExp(String.raw`^(?<day>.{4,30}?)(?:t|,?\s)${TIME}$`),
  new RegExp(String.raw`^${TIME}(?:,?\s(?:on\s)?(?<day>.{4,30}))?$`),
];
/** Seconds since the epoch have ten digits, milliseconds 13. */
const UNIX_TIME = /^(\d{10})(?:\d{3})?$/;

/**
 * Returns the periods that a text in lower case names: two for a date whose day and month may be either way round. `now`: seconds
 * since the epoch, from which "yesterday" counts.
 */
export function findPeriods(words: string, now: number): readonly SearchedPeriod[] {
  const ago = agoPeriod(words, now);
  if (ago !== null) return [ago];
  const either = IN_EITHER_ORDER.exec(words);
  if (either !== null) {
    const [, first, , second, year] = either as unknown as string[];
    const found = [periodOf(year!, first, second), periodOf(year!, second, first)];
    return found.filter(
      (period, i) => period !== null && (i === 0 || period.name !== found[0]?.name),
    ) as SearchedPeriod[];
  }
  const eightDigits = EIGHT_DIGITS.exec(words);
  const match = eightDigits ?? FORMS.map((form) => form.exec(words)).find((found) => found !== null);
  if (!match) return [];
  const { year, month, day } = match.groups!;
  const isName = month !== undefined && !/\d/.test(month);
  const number = isName ? String(monthNamed(month)) : month;
  const thisYear = new Date(now * 1_000).getUTCFullYear();
  if (eightDigits !== null && Number(year) > thisYear + 1) return [];
  const years = year === undefined ? [thisYear, thisYear - 1].map(String) : [year];
  // A day without a year is the latest one.
  const period = years
    .map((each) => periodOf(each, number, day))
    .find((each) => year !== undefined || (each && each.from <= now));
  return period ? [period] : [];
}

/** The units that are times, not periods. */
const SECONDS: Readonly<Partial<Record<TimeUnit, number>>> = { second: 1, minute: 60, hour: HOUR_SECONDS };

/** The day, week (from Monday), month or year of "yesterday", "monday", "2 weeks ago", "last month". */
function agoPeriod(words: string, now: number): SearchedPeriod | null {
  const date = new Date(now * 1_000);
  const weekday = weekdayIn(words, date.getUTCDay());
  const { number, unit } =
    weekday === null ? (parseAgo(words) ?? { number: 0, unit: 'second' }) : { number: weekday, unit: 'day' as const };
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const named = (length: number, y: number, m: number, d: number) => {
    const at = new Date(Date.UTC(y, m, d));
    if (!(at.getTime() >= 0)) return null;
    const [yearText, ...others] = at.toISOString().slice(0, length).split('-') as [string, string?, string?];
    return periodOf(yearText, ...(others as [string?, string?]));
  };
  switch (unit) {
    case 'day':
      return named(10, year, month, day - number);
    case 'week': {
      const monday = day - ((date.getUTCDay() + 6) % 7) - 7 * number;
      const [first, last] = [named(10, year, month, monday), named(10, year, month, monday + 6)];
      return first && last && { name: `${first.name}/${last.name}`, from: first.from, to: last.to };
    }
    case 'month':
      return named(7, year, month - number, 1);
    case 'year':
      return named(4, year - number, 0, 1);
    default:
      return null;
  }
}

/**
 * Returns the times that a text in lower case means, in seconds since the epoch: a time of day, of its day or else the latest
 * one, a Unix time, or "an hour ago" of `now`.
 */
export function findTimes(words: string, now: number): readonly number[] {
  const ago = parseAgo(words);
  const seconds = ago === null ? undefined : SECONDS[ago.unit];
  if (seconds !== undefined) return now < ago!.number * seconds ? [] : [now - ago!.number * seconds];
  const unix = UNIX_TIME.exec(words)?.[1];
  if (unix !== undefined) return [Number(unix)];
  const found = WITH_TIME.map((form) => form.exec(words)).find((each) => each !== null);
  const { day, hour, minute, second = '0' } = found?.groups ?? {};
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return [];
  const ofDay = Number(hour) * HOUR_SECONDS + Number(minute) * 60 + Number(second);
  if (day === undefined) {
    const today = now - (now % DAY_SECONDS) + ofDay;
    return [today > now ? today - DAY_SECONDS : today];
  }
  return findPeriods(day, now)
    .filter(({ from, to }) => to - from === DAY_SECONDS)
    .map(({ from }) => from + ofDay);
}

/** Returns null for what the calendar has not, and for what was before the epoch. */
function periodOf(year: string, month?: string, day?: string): SearchedPeriod | null {
  const name = [year, month, day].flatMap((part) => (part === undefined ? [] : [part.padStart(2, '0')])).join('-');
  const [y, m, d] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const from = Date.UTC(y, m, d);
  // `Date` turns 31 February into March.
  if (from < 0 || !new Date(from).toISOString().startsWith(name)) return null;
  const to = day !== undefined ? Date.UTC(y, m, d + 1) : month !== undefined ? Date.UTC(y, m + 1) : Date.UTC(y + 1, 0);
  return { name, from: from / 1_000, to: to / 1_000 };
}
