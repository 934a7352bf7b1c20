/** Series: their points from the rows of the store, as JSON and CSV. */
import Type from 'typebox';
import type { SeriesPoint, SeriesPoints } from '../../answers/series-points.ts';
import { INTERVALS, type Interval } from '../../chain/calendar.ts';
import { COUNT_SCHEMA, strictObject } from '../../render/schemas/common.ts';
import { type CsvTable, csvTime } from '../../serving/route/csv.ts';
import { SERIES_IDS, type SeriesId, seriesDefinition } from '../../store/queries/chain/series.ts';

const INTERVAL_SCHEMA = Type.Enum([...INTERVALS], { type: 'string' });

const UNIT = Type.String({ description: '`coins`: coins, with the decimals of the coin' });

const DECIMAL = Type.String({ pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$' });

export const SERIES_SCHEMA = strictObject({
  id: Type.Enum([...SERIES_IDS], { type: 'string' }),
  unit: UNIT,
  interval: INTERVAL_SCHEMA,
  points: Type.Array(
    Type.Unsafe<readonly [number, string]>({
      type: 'array',
      prefixItems: [COUNT_SCHEMA, DECIMAL],
      minItems: 2,
      maxItems: 2,
      description: 'The first second of the interval, UTC, and the value as text',
    }),
  ),
  complete_until: {
    ...COUNT_SCHEMA,
    description: 'The points before this time do not change any more with new blocks',
  },
});

export function presentSeries(id: SeriesId, interval: Interval, { points, completeUntil }: SeriesPoints): string {
  const pairs = points.map(({ time, value }) => `[${time},"${value}"]`).join(',');
  return `{"id":"${id}","unit":"${seriesDefinition(id).unit}","interval":"${interval}","points":[${pairs}],"complete_until":${completeUntil}}`;
}

/** The columns of an exported series. Its values have the decimal mark of the reader. */
export function seriesCsv(): CsvTable<SeriesPoint> {
  return { columns: ['time_utc', 'value'], fields: ({ time, value }) => [csvTime(time), csvNumber(value)] };
}

/** A decimal number as a field, which gets the decimal mark of the reader. */
function csvNumber(text: string) {
  const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return { atoms: BigInt(text.replace('.', '')), decimals };
}

export const SERIES_LIST_SCHEMA = Type.Array(
  strictObject({
    id: Type.Enum([...SERIES_IDS], { type: 'string' }),
    title: Type.String(),
    unit: UNIT,
    intervals: Type.Array(INTERVAL_SCHEMA),
  }),
);

/** The series that there are: the same at every tip. */
export function presentSeriesList(): string {
  return JSON.stringify(
    SERIES_IDS.map((id) => {
      const { title, unit, intervals } = seriesDefinition(id);
      return { id, title, unit, intervals };
    }),
  );
}
