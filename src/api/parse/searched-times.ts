/** Finds days, months, years and times in a text, in the spellings that people use. All are of UTC. */
import { DAY_SECONDS } from '../../chain/calendar.ts';

/** A day, a month or a year. */
export interface SearchedPeriod {
  /** As ISO 8601 writes it: "2026-01-31", "2026-01" or "2026". */
  readonly name: string;
  /** Its first second since the epoch. */
  readonly from: number;
  /** The first second after it. */
  readonly to: number;
}

/** 2026-01-31, 2026/1/31, 2026-01, 2026; 31.1.2026, 1/2026; 31 January 2026, Jan 2026; Jan 31, 2026. */
const FORMS = [
  /^(?<year>\d{4})(?:[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2}))?)?$/,
  /^(?:(?<day>\d{1,2})\.\s?)?(?<month>\d{1,2})[-/.]\s?(?<year>\d{4})$/,
  /^(?:(?<day>\d{1,2})(?:st|nd|rd|th|\.)?\s)?(?<month>[a-z]{3,9})\.?,?\s(?<year>\d{4})$/,
  /^(?<month>[a-z]{3,9})\.?\s(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?<year>\d{4})$/,
];
/** Some write the month first, others the day: 10/11/2026. */
const IN_EITHER_ORDER = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/;
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
/** A day with a time of day: "2026-01-31 12:00", "2026-01-31T12:00:00.000Z", "Jan 31, 2026, 9:30 UTC". */
const WITH_TIME =
  /^(?<day>.{8,30}?)(?:t|,?\s)(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d{1,9})?)?\s?(?:z|utc|gmt)?$/;
/** Seconds since the epoch have ten digits, milliseconds 13. */
const UNIX_TIME = /^(\d{10})(?:\d{3})?$/;

/** Returns the periods that a text in lower case names: two for a date whose day and month may be either way round. */
export function periodsIn(words: string): readonly SearchedPeriod[] {
  const either = IN_EITHER_ORDER.exec(words);
  if (either !== null) {
    const [, first, , second, year] = either as unknown as string[];
    const found = [periodOf(year!, first, second), periodOf(year!, second, first)];
    return found.filter(
      (period, i) => period !== null && (i === 0 || period.name !== found[0]?.name),
    ) as SearchedPeriod[];
  }
  const match = FORMS.map((form) => form.exec(words)).find((found) => found !== null);
  if (!match) return [];
  const { year, month, day } = match.groups!;
  const isName = month !== undefined && !/\d/.test(month);
  const number = isName ? String(MONTHS.findIndex((name) => name.startsWith(month)) + 1) : month;
  const period = periodOf(year!, number, day);
  return period === null ? [] : [period];
}

/** Returns the times that a text in lower case means, in seconds since the epoch: a day with a time of day, or a Unix time. */
export function timesIn(words: string): readonly number[] {
  const unix = UNIX_TIME.exec(words)?.[1];
  if (unix !== undefined) return [Number(unix)];
  const { day, hour, minute, second = '0' } = WITH_TIME.exec(words)?.groups ?? {};
  if (day === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return [];
  const ofDay = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return periodsIn(day)
    .filter(({ from, to }) => to - from === DAY_SECONDS)
    .map(({ from }) => from + ofDay);
}

/** Returns null for what the calendar has not, and for what was before the epoch. */
function periodOf(year: string, month: string | undefined, day: string | undefined): SearchedPeriod | null {
  const name = [year, month, day].flatMap((part) => (part === undefined ? [] : [part.padStart(2, '0')])).join('-');
  const [y, m, d] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const from = Date.UTC(y, m, d);
  // `Date` turns 31 February into March.
  if (from < 0 || !new Date(from).toISOString().startsWith(name)) return null;
  const to = day !== undefined ? Date.UTC(y, m, d + 1) : month !== undefined ? Date.UTC(y, m + 1) : Date.UTC(y + 1, 0);
  return { name, from: from / 1_000, to: to / 1_000 };
}
