/** `/statistics/coin` and `/statistics/token/{id}`: the supply of each currency, now or at a height. */

import Type from 'typebox';
import { COIN, type Currency } from '../../chain/currency.ts';
import { notFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { POINT_QUERY_SCHEMAS, parsePoint, requirePointBlock } from '../../serving/parse/chain-points.ts';
import { parseTokenIdParameter } from '../../serving/parse/parameters.ts';
import { addGetRoute, cacheControlOfPast } from '../../serving/route/get-route.ts';
import { responsesWithEtag, TOKEN_ID_PARAMETER } from '../../serving/schemas/parameters-and-responses.ts';
import { getStatisticsAt } from '../../store/queries/addresses/balances-at-height.ts';
import { type ChainPoint, type PointBlockRow, sqlParametersOfPoint } from '../../store/queries/blocks/chain-points.ts';
import { getStatistics, type StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { COIN_STATISTICS, tokenStatisticsEntry } from '../present/statistics.ts';

export function statisticsRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const tags = ['Statistics'];
  const TOKEN_STATISTICS = tokenStatisticsEntry(profile);

  addGetRoute(routes, context, {
    path: '/statistics/coin',
    tags,
    summary: 'The supply of the coin',
    description: 'With `height` or `time`: how much there was after that block.',
    querystring: Type.Object(POINT_QUERY_SCHEMAS),
    response: responsesWithEtag(routes.addComponent('CoinStatistics', COIN_STATISTICS.schema), [400, 404]),
    parse: ({ query }) => ({ currency: COIN, point: parsePoint(query) }),
    read: readStatistics,
    present: (read, { point }) => ({
      text: COIN_STATISTICS.json(network, requireStatistics(read, point)),
      cacheControl: cacheControlOfStatistics(read),
    }),
  });

  addGetRoute(routes, context, {
    path: '/statistics/token/:id',
    tags,
    summary: 'The supply of a token or NFT',
    description: 'With `height` or `time`: how much there was after that block.',
    querystring: Type.Object(POINT_QUERY_SCHEMAS),
    params: TOKEN_ID_PARAMETER,
    response: responsesWithEtag(routes.addComponent('TokenStatistics', TOKEN_STATISTICS.schema), [400, 404]),
    parse: ({ params, query }) => ({
      currency: parseTokenIdParameter(network, params.id!),
      point: parsePoint(query),
    }),
    read: readStatistics,
    present: (read, { point }) => ({
      text: TOKEN_STATISTICS.json(network, requireStatistics(read, point)),
      cacheControl: cacheControlOfStatistics(read),
    }),
  });
}

interface StatisticsParams {
  readonly currency: Currency;
  /** Null: now. */
  readonly point: ChainPoint | null;
}

type StatisticsRead = SnapshotRows<StatisticsRow & Partial<PointBlockRow>>;

function readStatistics(store: QueryRunner, { currency, point }: StatisticsParams): Promise<StatisticsRead> {
  return point === null
    ? getStatistics(store, currency)
    : getStatisticsAt(store, currency, ...sqlParametersOfPoint(point));
}

/** Throws the errors 404. */
function requireStatistics({ rows: [row] }: StatisticsRead, point: ChainPoint | null): StatisticsRow {
  const statistics = point === null ? row! : requirePointBlock(point, row);
  if (!statistics.exists) throw notFound('Token not found');
  return statistics;
}

function cacheControlOfStatistics({ tip, rows: [row] }: StatisticsRead): string | undefined {
  return row?.height === undefined ? undefined : cacheControlOfPast(tip, row.height);
}
