/** `/statistics`: how much there is of the coin and of each token. */
import type { FastifyInstance } from 'fastify';
import { COIN } from '../../chain/currency.ts';
import { amountJson } from '../../render/text.ts';
import { STATISTICS, type StatisticsRow } from '../../store/queries/statistics.ts';
import { parseTokenId } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { responses, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

const FOUR_AMOUNTS = {
  circulating_supply: schemaRef('Amount'),
  preminted: schemaRef('Amount'),
  burned: schemaRef('Amount'),
  staked: schemaRef('Amount'),
};

/** The four amounts, the last brace left away. */
function openStatistics(row: StatisticsRow, decimals: number): string {
  return `{"circulating_supply":${amountJson(row.circulating_supply, decimals)},"preminted":${amountJson(row.preminted, decimals)},"burned":${amountJson(row.burned, decimals)},"staked":${amountJson(row.staked, decimals)}`;
}

export function statisticsRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network, store } = context;
  const tags = ['Statistics'];

  getRoute(app, context, {
    path: '/statistics/coin',
    schema: {
      tags,
      summary: 'How much there is of the coin',
      response: responses(component(app, 'CoinStatistics', strictObject(FOUR_AMOUNTS))),
    },
    parse: () => null,
    answer: async () => {
      const { tip, rows } = await store.query(STATISTICS, COIN);
      return { text: `${openStatistics(rows[0]!, network.coinDecimals)}}`, tip };
    },
  });

  getRoute(app, context, {
    path: '/statistics/token/:id',
    schema: {
      tags,
      summary: 'How much there is of a token or NFT',
      params: TOKEN_ID_PARAMETER,
      response: responses(
        component(app, 'TokenStatistics', strictObject({ ...FOUR_AMOUNTS, ...profile.tokenStatistics.properties })),
        [400, 404],
      ),
    },
    parse: ({ params }) => parseTokenId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await store.query(STATISTICS, id);
      const row = rows[0]!;
      if (!row.exists) throw notFound('Token not found');
      return { text: `${openStatistics(row, row.decimals ?? 0)}${profile.tokenStatistics.text(row)}}`, tip };
    },
  });
}
