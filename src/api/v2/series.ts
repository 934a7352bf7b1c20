/** `/statistics/series`: the chain over time. `/statistics/supply`: bare numbers. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { firstHourOf, HOUR_SECONDS, hourOf, INTERVALS, type Interval, intervalOfHour } from '../../chain/calendar.ts';
import { COIN } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import {
  DEFAULT_POINTS,
  MAX_POINTS,
  readSeries,
  SERIES_IDS,
  type SeriesId,
  seriesDefinition,
} from '../../store/queries/series.ts';
import { getStatistics, type StatisticsRow } from '../../store/queries/statistics.ts';
import type { UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { badRequest, notFound } from '../errors/api-error.ts';
import { EXPORT_PARAMETERS } from '../parse/export-format.ts';
import { choiceParameter, lastQueryValue, parseUnsigned, type UrlQuery } from '../parse/parameters.ts';
import {
  presentSeries,
  presentSeriesList,
  SERIES_LIST_SCHEMA,
  SERIES_SCHEMA,
  type SeriesPoint,
  type SeriesRange,
  seriesPoints,
  seriesTable,
} from '../present/series.ts';
import type { ApiContext } from '../route/context.ts';
import type { ListExport } from '../route/export-route.ts';
import { addGetRoute, withExports } from '../route/get-route.ts';
import { EXTENSION_TAG, okResponse, registerComponent, responseSchemas } from '../schemas/parameters-and-responses.ts';

const INTERVAL = choiceParameter('interval', ['day', 'hour', 'week', 'month'] as const, {
  description: 'Weeks begin on Monday; UTC',
  message: `Invalid interval: known are ${INTERVALS.join(', ')}`,
});

const TIME_BOUNDS = {
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      format: 'chain-bound',
      description: `Only intervals that begin at this time or later, in seconds since the epoch; by default the last ${DEFAULT_POINTS}`,
    }),
  ),
  to: Type.Optional(
    Type.Integer({ minimum: 0, format: 'chain-bound', description: 'Only intervals that begin before this time' }),
  ),
};

/** Later than any block. */
const LAST_SECOND = 100_000_000_000n;

/** Parses `interval`, `from` and `to`. */
export function parseSeriesRange(query: UrlQuery, id: SeriesId): SeriesRange {
  const interval = INTERVAL.parse(query);
  const { intervals } = seriesDefinition(id);
  if (!intervals.includes(interval)) throw badRequest(`Invalid interval: this series has ${intervals.join(', ')}`);
  return { interval, since: parseBound(query, 'from', interval), below: parseBound(query, 'to', interval) };
}

/** The first interval that begins at a time or later. */
function parseBound(query: UrlQuery, name: 'from' | 'to', interval: Interval): number | null {
  const text = lastQueryValue(query, name);
  if (text === undefined) return null;
  const given = parseUnsigned(text, `Invalid ${name}: seconds since the epoch are expected`);
  const seconds = Number(given > LAST_SECOND ? LAST_SECOND : given);
  const number = intervalOfHour(interval, hourOf(seconds));
  return firstHourOf(interval, number) * HOUR_SECONDS < seconds ? number + 1 : number;
}

/** Reads the rows of a series for the range. */
export function readSeriesRange(store: UnbatchedQueryRunner, id: SeriesId, { interval, since, below }: SeriesRange) {
  const hourAt = (number: number | null) => (number === null ? null : firstHourOf(interval, number));
  return readSeries(store, id, interval, { since: hourAt(since), below: hourAt(below) });
}

const SUPPLIES = ['circulating', 'total', 'staked', 'burned'] as const;
type Supply = (typeof SUPPLIES)[number];

function supplyOf(kind: Supply, { circulating_supply, staked, burned }: StatisticsRow): bigint {
  if (kind === 'circulating') return circulating_supply;
  if (kind === 'total') return circulating_supply + burned;
  return kind === 'staked' ? staked : burned;
}

export function seriesRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  const tags = [EXTENSION_TAG];

  addGetRoute(app, context, {
    path: '/statistics/series',
    schema: { tags, summary: 'The series of the chain over time', response: responseSchemas(SERIES_LIST_SCHEMA, []) },
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: null }),
    present: presentSeriesList,
  });

  addGetRoute(app, context, {
    path: '/statistics/series/:id',
    schema: {
      tags,
      summary: 'A series of the chain over time, oldest first',
      description:
        'Flows are 0, and stocks have their last value, where nothing happened; the time between blocks has no point where ' +
        'there was no block. Addresses and the share of the largest pools have points of intervals that are over, and no ' +
        `others. At most ${MAX_POINTS} points.`,
      params: Type.Object({ id: Type.Enum([...SERIES_IDS], { type: 'string', description: 'The id of the series' }) }),
      querystring: Type.Object({ ...INTERVAL.query, ...TIME_BOUNDS, ...EXPORT_PARAMETERS }),
      response: withExports(responseSchemas(registerComponent(app, 'Series', SERIES_SCHEMA), [400, 404]), true),
    },
    parse: ({ params, query }) => {
      const id = SERIES_IDS.find((known) => known === params.id);
      if (id === undefined) throw notFound('Series not found');
      return { id, ...parseSeriesRange(query, id) };
    },
    // Up to some thousand rows.
    unitsOf: () => 8,
    read: (store, { id, ...range }) => readSeriesRange(store, id, range),
    present: ({ rows }, { id, ...range }) => presentSeries(id, range.interval, seriesPoints(network, id, range, rows)),
    exported: async ({ id, ...range }, store): Promise<ListExport<never, SeriesPoint, SeriesPoint>> => {
      const { tip, rows } = await readSeriesRange(store, id, range);
      const batches = [seriesPoints(network, id, range, rows).points];
      return {
        fileName: `series-${id}-by-${range.interval}`,
        list: '',
        order: null,
        open: async () => ({ tip, next: async () => [...(batches.pop() ?? [])], close: () => {} }),
        csv: seriesTable(),
        json: ({ time, value }) => `{"time":${time},"value":"${value}"}`,
      };
    },
  });

  for (const kind of SUPPLIES) {
    addGetRoute(app, context, {
      path: `/statistics/supply/${kind}`,
      schema: {
        tags,
        summary: `The ${kind} supply in coins, as a bare number`,
        description:
          'As sites that list coins read it. `total`: all coins that were ever made, also burned ones; `circulating`: without ' +
          'burned ones, with staked ones.',
        response: {
          ...responseSchemas(Type.String(), []),
          200: { ...okResponse(Type.String(), 'Coins'), content: { 'text/plain': { schema: Type.String() } } },
        },
      },
      parse: () => null,
      read: (store) => getStatistics(store, COIN),
      present: ({ rows }) => ({
        text: decimalText(supplyOf(kind, rows[0]!), network.coinDecimals),
        contentType: 'text/plain; charset=utf-8',
      }),
    });
  }
}
