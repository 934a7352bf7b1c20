/** `/statistics`: how much there is of the coin and of each token. */
import type { FastifyInstance } from 'fastify';
import { COIN } from '../../chain/currency.ts';
import { amount } from '../../render/text.ts';
import { STATISTICS, type StatisticsRow } from '../../store/queries/statistics.ts';
import { type ApiContext, serve } from '../route/context.ts';
import { notFound } from '../route/api-error.ts';
import { tokenId } from '../parse/parameters.ts';
import { named, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { answers, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

const FOUR_AMOUNTS = {
  circulating_supply: named('Amount'),
  preminted: named('Amount'),
  burned: named('Amount'),
  staked: named('Amount'),
};

/** The four amounts, the last brace left away. */
function openStatistics(row: StatisticsRow, decimals: number): string {
  return `{"circulating_supply":${amount(row.circulating_supply, decimals)},"preminted":${amount(row.preminted, decimals)},"burned":${amount(row.burned, decimals)},"staked":${amount(row.staked, decimals)}`;
}

export function statisticsRoutes(app: FastifyInstance, context: ApiContext): void {
  const { contract, network, reader } = context;
  const tags = ['Statistics'];

  serve(app, context, {
    path: '/statistics/coin',
    schema: {
      tags,
      summary: 'How much there is of the coin',
      response: answers(component(app, 'CoinStatistics', object(FOUR_AMOUNTS))),
    },
    parse: () => null,
    answer: async () => {
      const { tip, rows } = await reader.ask(STATISTICS, COIN);
      return { text: `${openStatistics(rows[0]!, network.coinDecimals)}}`, tip };
    },
  });

  serve(app, context, {
    path: '/statistics/token/:id',
    schema: {
      tags,
      summary: 'How much there is of a token or NFT',
      params: TOKEN_ID_PARAMETER,
      response: answers(
        component(app, 'TokenStatistics', object({ ...FOUR_AMOUNTS, ...contract.tokenStatistics.properties })),
        [400, 404],
      ),
    },
    parse: ({ params }) => tokenId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await reader.ask(STATISTICS, id);
      const row = rows[0]!;
      if (!row.exists) throw notFound('Token not found');
      return { text: `${openStatistics(row, row.decimals ?? 0)}${contract.tokenStatistics.text(row)}}`, tip };
    },
  });
}
