/** How the language of the page writes numbers, durations, lists and times (`Intl`). Digits are grouped by the style. */
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { currentCatalogue } from './catalogue.ts';
import type { Language } from './language.ts';

/** The tags of the formats: the English of the pages has "a, b and c". */
const TAGS: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', es: 'es', zh: 'zh-Hans' };

interface Formats {
  readonly decimalMark: string;
  /** With the space before it that some languages have. */
  readonly percentSign: string;
  readonly compact: Intl.NumberFormat;
  readonly and: Intl.ListFormat;
  readonly or: Intl.ListFormat;
  /** Null: times are written as ISO 8601 does. */
  readonly time: Intl.DateTimeFormat | null;
  readonly dayAndMonth: Intl.DateTimeFormat;
  /** By the number of seconds of their unit. */
  readonly units: ReadonlyMap<number, Intl.NumberFormat>;
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [DAY_SECONDS, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

const made = new Map<Language, Formats>();

function formats(): Formats {
  const { language } = currentCatalogue();
  let found = made.get(language);
  if (found === undefined) {
    const tag = TAGS[language];
    found = {
      decimalMark: new Intl.NumberFormat(tag).formatToParts(0.5).find(({ type }) => type === 'decimal')!.value,
      percentSign: new Intl.NumberFormat(tag, { style: 'percent' }).format(0).slice(1),
      compact: new Intl.NumberFormat(tag, { notation: 'compact', maximumSignificantDigits: 3 }),
      and: new Intl.ListFormat(tag, { type: 'conjunction' }),
      or: new Intl.ListFormat(tag, { type: 'disjunction' }),
      time:
        language === 'en'
          ? null
          : new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
      dayAndMonth: new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'long', timeZone: 'UTC' }),
      units: new Map(
        UNITS.map(([seconds, unit]) => [
          seconds,
          new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long', useGrouping: false }),
        ]),
      ),
    };
    made.set(language, found);
  }
  return found;
}

/** The mark between the whole and the fraction of a number. */
export const decimalMark = (): string => formats().decimalMark;

/** Writes a decimal number, such as "12.5", with the mark of the language. */
export const localDecimal = (number: string): string => number.replace('.', decimalMark());

/** Writes a decimal number as a percentage: "12.5%". */
export const localPercent = (number: string): string => localDecimal(number) + formats().percentSign;

/** Writes a number in few characters, as at the axis of a chart. */
export const compactNumber = (value: number): string => formats().compact.format(value);

/** Returns the two largest units of a duration in seconds: "2 days 3 hours". */
export function durationText(seconds: number | bigint): string {
  const { units } = formats();
  let left = BigInt(seconds);
  const parts: string[] = [];
  for (const [unit] of UNITS) {
    const number = left / BigInt(unit);
    left %= BigInt(unit);
    if (number > 0n && parts.length < 2) parts.push(units.get(unit)!.format(number));
    else if (parts.length > 0) break;
  }
  return parts.length === 0 ? units.get(1)!.format(0) : parts.join(' ');
}

/** Returns a duration that is only estimated, in its largest unit: "3 hours". It has no seconds. */
export function roughDurationText(seconds: number): string {
  const [unit] = UNITS.find(([length]) => length > 1 && seconds >= length) ?? [60];
  return formats()
    .units.get(unit)!
    .format(Math.max(1, Math.round(seconds / unit)));
}

/** Joins values as "a, b and c": texts of the language, and the values between them. */
export function listInWords<Value>(values: readonly Value[], word: 'and' | 'or' = 'and'): (string | Value)[] {
  const parts = formats()[word].formatToParts(values.map((_, i) => String(i)));
  return parts.map(({ type, value }) => (type === 'element' ? values[Number(value)]! : value));
}

/** Writes a time of UTC, in seconds since the epoch; null: as ISO 8601 does. */
export const timeIn = (seconds: number): string | null => {
  const { time } = formats();
  return time === null ? null : `${time.format(seconds * 1_000)} UTC`;
};

/** Writes the day and the month of a time, as in "31 January". */
export const dayAndMonth = (seconds: number): string => formats().dayAndMonth.format(seconds * 1_000);
