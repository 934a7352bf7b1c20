/** `/statistics`: supply of the coin and of each token. */
import type { FastifyInstance } from 'fastify';
import { COIN } from '../../chain/currency.ts';
import { getStatistics } from '../../store/queries/statistics.ts';
import { notFound } from '../errors/api-error.ts';
import { parseTokenId } from '../parse/parameters.ts';
import {
  COIN_STATISTICS_SCHEMA,
  presentCoinStatistics,
  presentTokenStatistics,
  tokenStatisticsSchema,
} from '../present/statistics.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { responses, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

export function statisticsRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile } = context;
  const tags = ['Statistics'];

  getRoute(app, context, {
    path: '/statistics/coin',
    schema: {
      tags,
      summary: 'How much there is of the coin',
      response: responses(component(app, 'CoinStatistics', COIN_STATISTICS_SCHEMA)),
    },
    parse: () => null,
    read: (store) => getStatistics(store, COIN),
    present: ({ rows }) => presentCoinStatistics(network, rows[0]!),
  });

  getRoute(app, context, {
    path: '/statistics/token/:id',
    schema: {
      tags,
      summary: 'How much there is of a token or NFT',
      params: TOKEN_ID_PARAMETER,
      response: responses(component(app, 'TokenStatistics', tokenStatisticsSchema(profile)), [400, 404]),
    },
    parse: ({ params }) => parseTokenId(network, params.id!),
    read: (store, id) => getStatistics(store, id),
    present: ({ rows }) => {
      const row = rows[0]!;
      if (!row.exists) throw notFound('Token not found');
      return presentTokenStatistics(profile, row);
    },
  });
}
