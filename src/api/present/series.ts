/** Series: their points from the rows of the store, as JSON and CSV. */
import Type from 'typebox';
import type { SeriesPoint, SeriesPoints } from '../../answers/series-points.ts';
import { INTERVALS, type Interval } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks/network.ts';
import { COUNT_SCHEMA, SIGNED_DECIMAL_PATTERN } from '../../render/schemas/common.ts';
import { type CsvTable, csvTime } from '../../serving/route/csv.ts';
import { SERIES_IDS, type SeriesId, seriesDefinition } from '../../store/queries/chain/series.ts';
import { defineEntry, kind } from '../entry/define-entry.ts';
import { choice, count, listOf, nested, text } from '../entry/kinds.ts';

const interval = choice(INTERVALS);

const UNIT = '`coins`: coins, with the decimals of the coin';

const point = kind<SeriesPoint>({
  schema: Type.Unsafe({
    title: 'SeriesPoint',
    type: 'array',
    prefixItems: [COUNT_SCHEMA, Type.String({ pattern: SIGNED_DECIMAL_PATTERN })],
    minItems: 2,
    maxItems: 2,
    description: 'The first second of the interval, UTC, and the value as text',
  }),
  json: ({ time, value }) => `[${time},"${value}"]`,
});

interface Series extends SeriesPoints {
  readonly id: SeriesId;
  readonly interval: Interval;
}

export const SERIES = defineEntry<Series>({
  id: choice(SERIES_IDS)(({ id }) => id),
  unit: text(({ id }) => seriesDefinition(id).unit, UNIT),
  interval: interval((series) => series.interval),
  points: listOf(point)(({ points }) => points),
  complete_until: count(
    ({ completeUntil }) => completeUntil,
    'The points before this time do not change any more with new blocks',
  ),
});

/** The columns of an exported series. Its values have the decimal mark of the reader. */
export function seriesCsv(): CsvTable<SeriesPoint> {
  return { columns: ['time_utc', 'value'], fields: ({ time, value }) => [csvTime(time), csvNumber(value)] };
}

/** A decimal number as a field, which gets the decimal mark of the reader. */
function csvNumber(text: string) {
  const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return { atoms: BigInt(text.replace('.', '')), decimals };
}

const listedSeries = listOf(
  nested(
    defineEntry<SeriesId>({
      id: choice(SERIES_IDS)((id) => id),
      title: text((id) => seriesDefinition(id).title),
      unit: text((id) => seriesDefinition(id).unit, UNIT),
      intervals: listOf(interval)((id) => seriesDefinition(id).intervals),
    }),
  ),
);

export const SERIES_LIST_SCHEMA = listedSeries.schema;

/** The series that there are: the same at every tip. */
export const presentSeriesList = (network: Network): string => listedSeries.text(SERIES_IDS, network);
