/** Parses days: UTC days, named by their first second. */
import Type from 'typebox';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { unsignedInteger } from '../../render/schemas/common.ts';
import { type DayRange, MAX_DAY } from '../../store/queries/pools/staking-days.ts';
import { badRequest } from '../errors/api-error.ts';
import { parseTimeBound } from './chain-points.ts';
import { lastQueryValue, parseUnsigned, type UrlQuery } from './parameters.ts';

const SECONDS = BigInt(DAY_SECONDS);
/** The last day that a `Date` can name, of the year 275760. */
export const MAX_DATE_DAY = 100_000_000;

/** The query parameter of {@link requireDayInterval}. */
export const DAY_INTERVAL_PARAMETER = {
  interval: Type.Optional(Type.Enum(['day'], { type: 'string', default: 'day', description: 'The only interval' })),
};

/** Throws the error 400 for another interval. */
export function requireDayInterval(query: UrlQuery): void {
  if ((lastQueryValue(query, 'interval') ?? 'day') !== 'day') throw badRequest('Invalid interval: `day` is expected');
}

const bound = (description: string) => Type.Optional(unsignedInteger({ description }));

/** The query parameters of {@link parseDayRange}. */
export const DAY_RANGE_PARAMETERS = {
  from: bound('Only days that begin at this time or later, in seconds since the epoch'),
  to: bound('Only days that begin before this time'),
};

/** Parses `from` and `to`: the days that begin between them. */
export function parseDayRange(query: UrlQuery): DayRange {
  return { since: parseDayBound(query, 'from') ?? 0, below: parseDayBound(query, 'to') ?? MAX_DAY };
}

/** The first day that begins at a time or later. */
function parseDayBound(query: UrlQuery, name: 'from' | 'to'): number | null {
  const time = parseTimeBound(query, name);
  return time === null ? null : dayOf(time + SECONDS - 1n);
}

/** Parses a day; those after the last one that a `Date` can name are that one. */
export function parseDay(text: string): number {
  const message = 'Invalid day: its first second (UTC) is expected, in seconds since the epoch';
  const seconds = parseUnsigned(text, message);
  if (seconds % SECONDS !== 0n) throw badRequest(message);
  return Math.min(dayOf(seconds), MAX_DATE_DAY);
}

function dayOf(seconds: bigint): number {
  const day = seconds / SECONDS;
  return day > BigInt(MAX_DAY) ? MAX_DAY : Number(day);
}
