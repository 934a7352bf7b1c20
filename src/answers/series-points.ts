/** The points of a series, from the rows of the store. */

import { firstHourOf, HOUR_SECONDS, intervalOfHour } from '../chain/calendar.ts';
import { decimalText } from '../chain/decimal-text.ts';
import type { Network } from '../chain/networks/network.ts';
import { badRequest } from '../serving/errors/api-error.ts';
import type { SeriesRange } from '../serving/parse/series.ts';
import {
  MAX_SERIES_POINTS,
  parseSeriesValues,
  type SeriesId,
  type SeriesRow,
  type SeriesValue,
  seriesDefinition,
} from '../store/queries/chain/series.ts';

/** A value of an interval, by the first second of the interval. */
export interface SeriesPoint {
  readonly time: number;
  readonly value: string;
}

export interface SeriesPoints {
  readonly points: readonly SeriesPoint[];
  /** The first second of the interval that is not over yet. */
  readonly completeUntil: number;
}

/** A mean has three decimals. */
const MEAN_UNIT = 1_000n;

/** Returns the points of a series, oldest first. Throws the error 400 if there are too many. */
export function seriesPoints(
  { coinDecimals }: Network,
  id: SeriesId,
  range: SeriesRange,
  rows: readonly SeriesRow[],
): SeriesPoints {
  const { interval } = range;
  const { kind, isOfDays = false, ...definition } = seriesDefinition(id);
  const { first_hour, first_timestamp, newest_hour } = rows[0]!;
  const values = parseSeriesValues(id, rows[0]!);
  const newest = intervalOfHour(interval, newest_hour);
  const end = isOfDays ? newest : newest + 1;
  const below = Math.min(range.below ?? end, end);
  const since = Math.max(range.since ?? below - range.points, intervalOfHour(interval, first_hour));
  if (below - since > MAX_SERIES_POINTS) {
    throw badRequest(`Invalid from: there are at most ${MAX_SERIES_POINTS} points between \`from\` and \`to\``);
  }
  const decimals = definition.decimals ?? coinDecimals;
  const points: SeriesPoint[] = [];
  let last: Pick<SeriesValue, 'height' | 'value'> = {
    height: 0,
    value: kind === 'mean' ? BigInt(first_timestamp) : 0n,
  };
  let next = 0;
  const add = (number: number, value: bigint): void => {
    points.push({ time: firstHourOf(interval, number) * HOUR_SECONDS, value: decimalText(value, decimals) });
  };
  const numberAt = (at: number): number => {
    const stored = values[at];
    return stored === undefined ? Number.POSITIVE_INFINITY : intervalOfHour(interval, stored.hour);
  };
  for (; numberAt(next) < since; next++) last = values[next]!;
  for (let number = since; number < below; number++) {
    const { height, value } = last;
    let count = 0n;
    for (; numberAt(next) === number; next++) {
      last = values[next]!;
      count += last.value;
    }
    if (kind === 'stock') add(number, last.value);
    else if (kind === 'count') add(number, count);
    else if (kind === 'flow') add(number, last.value - value);
    else if (last.height > height) add(number, ((last.value - value) * MEAN_UNIT) / BigInt(last.height - height));
  }
  return { points, completeUntil: firstHourOf(interval, newest) * HOUR_SECONDS };
}
