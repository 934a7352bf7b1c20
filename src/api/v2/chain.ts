/** `/chain`: the genesis, the tip, and the main chain by height. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { BLOCK_ID_AT_HEIGHT, META } from '../../store/queries/chain.ts';
import { notReady } from '../../store/read/store-error.ts';
import { type ApiContext, checkChain, serve } from '../route/context.ts';
import { notFound } from '../route/api-error.ts';
import { blockHeight } from '../parse/parameters.ts';
import { Count, HexId, named, nullable, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { answers, HEIGHT_PARAMETER } from '../schemas/route.ts';

export function chainRoutes(app: FastifyInstance, context: ApiContext): void {
  const { contract, reader } = context;
  const isNullMissing = contract.missingHeight === 'null';

  serve(app, context, {
    path: '/chain/genesis',
    schema: {
      tags: ['Chain'],
      summary: 'The genesis block',
      response: answers(
        component(
          app,
          'Genesis',
          object({
            block_id: HexId,
            genesis_message: Type.String(),
            timestamp: named('Timestamp'),
            utxos: Type.Array(named('Output')),
          }),
        ),
      ),
    },
    parse: () => null,
    answer: async () => {
      const { tip, rows } = await reader.ask(META, 'genesis');
      if (!rows[0]) throw notReady();
      return { text: rows[0].value, tip };
    },
  });

  serve(app, context, {
    path: '/chain/tip',
    schema: {
      tags: ['Chain'],
      summary: 'The newest block of the main chain',
      response: answers(component(app, 'Tip', object({ block_height: Count, block_id: HexId }))),
    },
    isAlwaysReady: true,
    parse: () => null,
    answer: () => {
      const tip = checkChain(context);
      return { text: `{"block_height":${tip.height},"block_id":"${tip.id}"}`, tip };
    },
  });

  serve(app, context, {
    path: '/chain/:height',
    schema: {
      tags: ['Chain'],
      summary: 'The id of the main-chain block at a height',
      description: isNullMissing ? '`null` when there is no block at that height.' : 'The genesis is not among them.',
      params: HEIGHT_PARAMETER,
      response: answers(isNullMissing ? nullable(HexId) : HexId, isNullMissing ? [400] : [400, 404]),
    },
    parse: ({ params }) => blockHeight(params.height!),
    answer: async (height) => {
      const isServed = height !== null && (height > 0 || contract.servesGenesisByHeight);
      const { tip, rows } = await reader.ask(BLOCK_ID_AT_HEIGHT, isServed ? height : -1);
      if (rows[0]) return { text: `"${rows[0].block_id}"`, tip };
      if (isNullMissing) return { text: 'null', tip };
      throw notFound('No block found at supplied height');
    },
  });
}
