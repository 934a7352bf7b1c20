/** `/statistics/series`: the chain over time. `/statistics/supply`: bare numbers. */

import Type from 'typebox';
import { type SeriesPoint, seriesPoints } from '../../answers/series-points.ts';
import { COIN } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { EXPORT_PARAMETERS, withExports } from '../../serving/parse/export-format.ts';
import { hoursOfRange, parseSeriesId, parseSeriesRange, SERIES_RANGE_PARAMETERS } from '../../serving/parse/series.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import type { ListExport } from '../../serving/route/get-route-stages.ts';
import { responsesWithEtag, responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { MAX_SERIES_POINTS, readSeries, SERIES_IDS } from '../../store/queries/chain/series.ts';
import { getStatistics, type StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import type { ApiContext } from '../api-context.ts';
import { presentSeriesList, SERIES, SERIES_LIST_SCHEMA, seriesCsv } from '../present/series.ts';

const SUPPLIES = ['circulating', 'total', 'staked', 'burned'] as const;
type Supply = (typeof SUPPLIES)[number];

function supplyOf(kind: Supply, { circulating_supply, staked, burned }: StatisticsRow): bigint {
  if (kind === 'circulating') return circulating_supply;
  if (kind === 'total') return circulating_supply + burned;
  return kind === 'staked' ? staked : burned;
}

export function seriesRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;

  addGetRoute(routes, context, {
    path: '/statistics/series',
    summary: 'The series of the chain over time',
    response: responsesWithoutEtag(SERIES_LIST_SCHEMA),
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: null }),
    present: () => presentSeriesList(network),
  });

  addGetRoute(routes, context, {
    path: '/statistics/series/:id',
    summary: 'A series of the chain over time, oldest first',
    description:
      'Flows are 0, and stocks have their last value, where nothing happened; the time between blocks has no point where ' +
      'there was no block. Addresses and the share of the largest pools have points of intervals that are over, and no ' +
      `others. At most ${MAX_SERIES_POINTS} points.`,
    params: Type.Object({ id: Type.Enum([...SERIES_IDS], { type: 'string', description: 'The id of the series' }) }),
    querystring: Type.Object({ ...SERIES_RANGE_PARAMETERS, ...EXPORT_PARAMETERS }),
    response: withExports(responsesWithEtag(routes.addComponent('Series', SERIES.schema), [400])),
    parse: ({ params, query }) => {
      const id = parseSeriesId(params.id!);
      return { id, ...parseSeriesRange(query, id) };
    },
    // Up to some thousand rows.
    unitsOf: () => 8,
    read: (store, { id, ...range }) => readSeries(store, id, range.interval, hoursOfRange(range)),
    present: ({ rows }, { id, ...range }) =>
      SERIES.json(network, { ...seriesPoints(network, id, range, rows), id, interval: range.interval }),
    exported: async ({ id, ...range }, store): Promise<ListExport<never, SeriesPoint, SeriesPoint>> => {
      const { tip, rows } = await readSeries(store, id, range.interval, hoursOfRange(range));
      const batches = [seriesPoints(network, id, range, rows).points];
      return {
        fileName: `series-${id}-by-${range.interval}`,
        list: '',
        order: null,
        open: async () => ({ tip, next: async () => [...(batches.pop() ?? [])], close: () => {} }),
        csv: seriesCsv(),
        json: ({ time, value }) => `{"time":${time},"value":"${value}"}`,
      };
    },
  });

  const ok = responsesWithEtag(Type.String(), [400]);
  addGetRoute(routes, context, {
    path: '/statistics/supply/:kind',
    summary: 'An amount of coins, as a bare number',
    description:
      'As sites that list coins read it. `circulating`: without burned coins, with staked ones. `total`: all coins that were ' +
      'ever made, also burned ones.',
    params: Type.Object({ kind: Type.Enum([...SUPPLIES], { type: 'string', description: 'Which coins' }) }),
    response: { ...ok, 200: { ...ok[200], content: { 'text/plain': { schema: Type.String() } } } },
    parse: ({ params }) => {
      const kind = SUPPLIES.find((known) => known === params.kind);
      if (kind === undefined) throw badRequest(`Invalid supply: known are ${SUPPLIES.join(', ')}`);
      return { kind };
    },
    read: (store) => getStatistics(store, COIN),
    present: ({ rows }, { kind }) => ({
      text: decimalText(supplyOf(kind, rows[0]!), network.coinDecimals),
      contentType: 'text/plain; charset=utf-8',
    }),
  });
}
