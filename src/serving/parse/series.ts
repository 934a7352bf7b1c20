/** Parses the series that a request wants, its interval and its range. */
import Type from 'typebox';
import { firstHourOf, HOUR_SECONDS, hourOf, INTERVALS, type Interval, intervalOfHour } from '../../chain/calendar.ts';
import { unsignedInteger } from '../../render/schemas/common.ts';
import {
  DEFAULT_SERIES_POINTS,
  SERIES_IDS,
  type SeriesHourRange,
  type SeriesId,
  seriesDefinition,
} from '../../store/queries/chain/series.ts';
import { badRequest } from '../errors/api-error.ts';
import { parseTimeBound } from './chain-points.ts';
import { choiceParameter, type UrlQuery } from './parameters.ts';

/** The intervals to show, by their numbers; null: the newest ones, `points` of them. */
export interface SeriesRange {
  readonly interval: Interval;
  readonly since: number | null;
  readonly below: number | null;
  readonly points: number;
}

const INTERVAL = choiceParameter('interval', ['day', 'hour', 'week', 'month'] as const, {
  description: 'Weeks begin on Monday; UTC',
  message: `Invalid interval: known are ${INTERVALS.join(', ')}`,
});

/** The query parameters of {@link parseSeriesRange}. */
export const SERIES_RANGE_PARAMETERS = {
  ...INTERVAL.query,
  from: Type.Optional(
    unsignedInteger({
      description: `Only intervals that begin at this time or later, in seconds since the epoch; by default the last ${DEFAULT_SERIES_POINTS}`,
    }),
  ),
  to: Type.Optional(unsignedInteger({ description: 'Only intervals that begin before this time' })),
};

/** Parses the id of a series. Throws the error 400. */
export function parseSeriesId(text: string): SeriesId {
  const id = SERIES_IDS.find((known) => known === text);
  if (id === undefined) throw badRequest('Invalid series: /statistics/series has the ids');
  return id;
}

/** Later than any block. */
const LAST_SECOND = 100_000_000_000n;

/** Parses `interval`, `from` and `to`. */
export function parseSeriesRange(query: UrlQuery, id: SeriesId): SeriesRange {
  const interval = INTERVAL.parse(query);
  const { intervals } = seriesDefinition(id);
  if (!intervals.includes(interval)) throw badRequest(`Invalid interval: this series has ${intervals.join(', ')}`);
  return {
    interval,
    since: parseBound(query, 'from', interval),
    below: parseBound(query, 'to', interval),
    points: DEFAULT_SERIES_POINTS,
  };
}

/** The first interval that begins at a time or later. */
function parseBound(query: UrlQuery, name: 'from' | 'to', interval: Interval): number | null {
  const given = parseTimeBound(query, name);
  if (given === null) return null;
  const seconds = Number(given > LAST_SECOND ? LAST_SECOND : given);
  const number = intervalOfHour(interval, hourOf(seconds));
  return firstHourOf(interval, number) * HOUR_SECONDS < seconds ? number + 1 : number;
}

/** Returns the hours of a range. */
export function hoursOfRange({ interval, since, below, points }: SeriesRange): SeriesHourRange {
  const hourAt = (number: number | null) => (number === null ? null : firstHourOf(interval, number));
  return { since: hourAt(since), below: hourAt(below), points };
}
