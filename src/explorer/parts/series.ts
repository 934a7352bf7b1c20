/** Renders series: their charts, and the form for interval and period. */

import type { SeriesPoint } from '../../answers/series-points.ts';
import { HOUR_SECONDS, type Interval } from '../../chain/calendar.ts';
import {
  parseSeriesValues,
  type SeriesId,
  type SeriesRow,
  seriesDefinition,
} from '../../store/queries/chain/series.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words, wordsFor } from '../words/catalogue.ts';
import { barChart, lineChart } from './chart.ts';
import type { PeriodTexts } from './downloads.ts';
import { optionHtml } from './filter-form.ts';
import { percentageText } from './number.ts';
import { dayText, utcText } from './time.ts';

/** How the values of a series are shown: times in seconds, minutes or hours, shares in per cent. */
interface ShownSeries {
  /** The title, with the unit where the title does not say it. */
  readonly title: Words;
  readonly textOfValue: (value: string) => string;
}

const TIME_UNITS = [
  ['hours', HOUR_SECONDS],
  ['minutes', 60],
  ['seconds', 1],
] as const;
/** A time is shown in the largest unit that the longest has so many of. */
const LEAST_OF_UNIT = 1.5;

export function shownSeries({ network }: Site, id: SeriesId, points: readonly SeriesPoint[]): ShownSeries {
  const { title, unit } = seriesDefinition(id);
  const words = wordsFor(title);
  const withUnit = (of: string) => say('{label}, {unit}', { label: textOf(words), unit: of });
  if (unit === 'share') return { title: withUnit('%'), textOfValue: percentageText };
  if (unit === 'seconds') {
    const longest = Math.max(...points.map(({ value }) => Number(value)));
    const [name, seconds] = TIME_UNITS.find(([, each]) => longest >= LEAST_OF_UNIT * each) ?? TIME_UNITS[2];
    const textOfValue = (value: string) => String(Number((Number(value) / seconds).toFixed(2)));
    return { title: withUnit(textOf(name)), textOfValue };
  }
  const isNamed = unit === 'coins' || unit === 'bytes';
  return {
    title: isNamed ? withUnit(unit === 'coins' ? network.coinTicker : textOf(unit)) : words,
    textOfValue: (value) => value,
  };
}

/** Returns the text of the beginning of an interval. */
export function pointText(interval: Interval, time: number): string {
  if (interval === 'hour') return utcText(time).slice(0, '2026-01-31 12:00'.length);
  return interval === 'month' ? dayText(time).slice(0, '2026-01'.length) : dayText(time);
}

/** Leaves out the first mean time of a chain: it has the time from the genesis to the first block, and all others would seem flat. */
export function chartedPoints(id: SeriesId, row: SeriesRow, points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  if (seriesDefinition(id).kind !== 'mean' || points.length < 2) return points;
  const before = parseSeriesValues(id, row).findLast(({ hour }) => hour * HOUR_SECONDS < points[0]!.time);
  return (before?.height ?? 0) === 0 ? points.slice(1) : points;
}

/** Leaves out the points before anything changed, such as those before the first block. */
export function fromFirstChange(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  const change = points.findIndex(({ value }) => value !== points[0]!.value);
  return points.slice(Math.max(0, change - 1));
}

/** More bars than these would be too thin. */
const MOST_BARS = 120;

/** Draws a series with at least one point: what happened in each time as bars, other values as a line. */
export function seriesChart(
  site: Site,
  id: SeriesId,
  interval: Interval,
  points: readonly SeriesPoint[],
  values: Html,
  newest?: Html,
): Html {
  const { kind, unit } = seriesDefinition(id);
  const { title, textOfValue } = shownSeries(site, id, points);
  const first = pointText(interval, points[0]!.time);
  const last = pointText(interval, points.at(-1)!.time);
  const unitText = unit === 'coins' ? site.network.coinTicker : '';
  const isSum = kind === 'flow' || kind === 'count';
  // A line needs two points.
  const draw = points.length === 1 || (isSum && points.length <= MOST_BARS) ? barChart : lineChart;
  return draw({
    title,
    description: say('{title} by {interval}, from {first} to {last}.', {
      title: textOf(title),
      interval: textOf(interval),
      first,
      last,
    }),
    points: points.map(({ time, value }) => ({
      x: time,
      name: pointText(interval, time),
      value: `${textOfValue(value)} ${unitText}`.trimEnd(),
    })),
    values,
    newest,
  });
}

/** Renders the form for the interval and the period of a page. */
export function intervalForm(
  site: Site,
  path: string,
  {
    interval,
    intervals,
    period: { from, to },
  }: { readonly interval: Interval; readonly intervals: readonly Interval[]; readonly period: PeriodTexts },
): Html {
  const options = intervals.map((each) => optionHtml(each, each, interval));
  return html`<form class="filter" method="get" action="${site.href(path)}"><label>By <select name="interval">${options}</select></label><label>From <input type="date" name="from" value="${from}"></label><label>To <input type="date" name="to" value="${to}"></label><button type="submit">Show</button></form>`;
}
